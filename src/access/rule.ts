/**
 * Access rules as data: who, of those who can see a project, sees a thing in it. A rule is written once (rules.ts), and becomes both a
 * check of one thing, `holds`, and a condition of queries over many, `visibleBy` in visible.ts: the two can't come apart.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables, Visibility } from '../db/tables.ts'
import { type FeatureLevels, mayUse, type ProjectFeature } from './features.ts'
import { isOpenTo, type Looking } from './levels.ts'
import { may, type Permission } from './permissions.ts'

export type Rule<Row = unknown> =
  /** The feature of the project is there for them. */
  | { is: 'feature'; feature: ProjectFeature }
  /** Their role in the project allows it. */
  | { is: 'allowed'; permission: Permission }
  /** They would see the project without being a member. */
  | { is: 'open' }
  | Fact<Row>
  | { is: 'all' | 'any'; of: ReadonlyArray<Rule<Row>> }

/** What depends on the thing itself, such as who wrote it. */
export interface Fact<Row> {
  is: 'fact'
  holds: (row: Row, viewer: Looking) => boolean
  /** The same as a condition of a query over the table of the thing; null where it holds for no thing. */
  where: (eb: ExpressionBuilder<Tables, never>, viewer: Looking) => Expression<SqlBool> | null
}

export const feature = (name: ProjectFeature): Rule => ({ is: 'feature', feature: name })
export const allowed = (permission: Permission): Rule => ({ is: 'allowed', permission })
export const open: Rule = { is: 'open' }
export const all = <Row>(...of: Array<Rule<Row>>): Rule<Row> => ({ is: 'all', of })
export const any = <Row>(...of: Array<Rule<Row>>): Rule<Row> => ({ is: 'any', of })

/** A project that somebody can see, and their access level in it. */
export interface Within {
  project: FeatureLevels & { visibility: Visibility }
  level: number
}

/** Whether the rule holds for the thing, for somebody who can see the project. */
export function holds<Row>(rule: Rule<Row>, within: Within, viewer: Looking, row: Row): boolean {
  switch (rule.is) {
    case 'feature':
      return mayUse(rule.feature, within)
    case 'allowed':
      return may(rule.permission, within.level)
    case 'open':
      return isOpenTo(within.project.visibility, viewer)
    case 'fact':
      return rule.holds(row, viewer)
    case 'all':
      return rule.of.every((one) => holds(one, within, viewer, row))
    case 'any':
      return rule.of.some((one) => holds(one, within, viewer, row))
  }
}
