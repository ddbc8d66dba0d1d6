/**
 * Access rules as data: which users who can see a project can see a thing in it. Each rule is written once (rules.ts) and gives both a
 * check of one thing (`holds`) and a condition for queries (`visibleBy` in visible.ts), so the two can't diverge.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables, Visibility } from '../db/tables.ts'
import { type FeatureLevels, mayUse, type ProjectFeature } from './features.ts'
import { isOpenTo, type Looking } from './levels.ts'
import { may, type Permission } from './permissions.ts'

export type Rule<Row = unknown> =
  /** The feature of the project is available to the user. */
  | { is: 'feature'; feature: ProjectFeature }
  /** The user's role in the project has the permission. */
  | { is: 'allowed'; permission: Permission }
  /** The user could see the project without being a member. */
  | { is: 'open' }
  | Fact<Row>
  | { is: 'all' | 'any'; of: ReadonlyArray<Rule<Row>> }

/** A condition on the thing itself, such as who wrote it. */
export interface Fact<Row> {
  is: 'fact'
  holds: (row: Row, viewer: Looking) => boolean
  /** The fact as a condition for a query over the table of the thing; null if it is false for every row. */
  where: (eb: ExpressionBuilder<Tables, never>, viewer: Looking) => Expression<SqlBool> | null
}

export const feature = (name: ProjectFeature): Rule => ({ is: 'feature', feature: name })
export const allowed = (permission: Permission): Rule => ({ is: 'allowed', permission })
export const open: Rule = { is: 'open' }
export const all = <Row>(...of: Array<Rule<Row>>): Rule<Row> => ({ is: 'all', of })
export const any = <Row>(...of: Array<Rule<Row>>): Rule<Row> => ({ is: 'any', of })

/** A project that the user can see, and their access level in it. */
export interface Within {
  project: FeatureLevels & { visibility: Visibility }
  level: number
}

/** Whether the rule holds for the thing, for a user who can see the project. */
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
