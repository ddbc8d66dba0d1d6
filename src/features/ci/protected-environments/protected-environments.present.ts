/** Protected environments as JSON. */
import type { Static } from 'typebox'
import { roleOf } from '../../../access/levels.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { CiEnvironmentRule } from '../../../db/tables.ts'
import { adminLevel, approvingRules } from './guard.service.ts'
import { namesIn, type Protection } from './protected-environments.queries.ts'
import type { DeployAccessLevel, ProtectedEnvironment } from './protected-environments.schema.ts'

type Names = Awaited<ReturnType<typeof namesIn>>

/** Two statements, regardless of their number. */
export async function presentProtections(app: App, viewer: Viewer, rows: Protection[]): Promise<Static<typeof ProtectedEnvironment>[]> {
  const names = await namesIn(
    app.db,
    viewer,
    rows.flatMap(({ rules }) => rules),
  )
  return rows.map((row) => ({
    name: row.name,
    deploy_access_levels: row.rules.filter(({ kind }) => kind === 'deploy').map((rule) => presentRule(rule, names)),
    required_approval_count: row.required_approval_count,
    approval_rules: approvingRules([row]).map((rule) => presentApprovingRule(rule, names)),
  }))
}

export function presentApprovingRule(rule: CiEnvironmentRule, names: Names) {
  return Object.assign(presentRule(rule, names), { required_approvals: rule.required_approvals })
}

function presentRule(rule: CiEnvironmentRule, names: Names): Static<typeof DeployAccessLevel> {
  const { id, access_level, user_id, group_id, group_inheritance_type } = rule
  return { id, access_level, access_level_description: wordsFor(rule, names), user_id, group_id, group_inheritance_type }
}

/** Whom the rule names, for people. */
export function wordsFor({ access_level, user_id, group_id }: CiEnvironmentRule, { users, groups }: Names): string {
  if (access_level !== null) return access_level === adminLevel ? 'Administrators' : `${roleOf(access_level)}s`
  return (user_id !== null ? users.get(user_id) : groups.get(group_id ?? 0)) ?? 'A group'
}
