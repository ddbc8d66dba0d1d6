/** How approvals are given and lost: in a project by its row, or the defaults, and by the groups above, where they are stricter. */
import type { Db, Tx } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { ApprovalSettings } from '../../../db/tables.ts'

export type ApprovalSettingsChange = Partial<ApprovalSettings>

const defaults: ApprovalSettings = {
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  reset_approvals_on: 'change',
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  require_password_to_approve: false,
}

/** Settings of a group without a row: it demands nothing, so its projects decide. */
const open: ApprovalSettings = { ...defaults, merge_requests_author_approval: true, reset_approvals_on: 'never' }

/** The settings of a place, and what groups above demand. */
export interface ApprovalSettingsWithin {
  own: ApprovalSettings
  /** The strictest of the groups above; null if they demand nothing. */
  above: ApprovalSettings | null
  /** For each setting, the stricter of the two: merge requests go by these. */
  effective: ApprovalSettings
}

const columns = [
  'merge_requests_author_approval',
  'merge_requests_disable_committers_approval',
  'reset_approvals_on',
  'selective_code_owner_removals',
  'disable_overriding_approvers_per_merge_request',
  'require_password_to_approve',
] as const satisfies ReadonlyArray<keyof ApprovalSettings>

/** The row of the project, with null as its `group_id`, and the rows of the groups above. */
const rowsAtProject = prepared((db: Db, projectId: number) =>
  db
    .selectFrom('group_approval_settings')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'group_approval_settings.group_id')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
    .select(columns)
    .select('group_id')
    .where('projects.id', '=', projectId)
    .unionAll(
      db
        .selectFrom('approval_settings')
        .select(columns)
        .select((eb) => eb.lit(null).as('group_id'))
        .where('project_id', '=', projectId) as never,
    ),
)

/** One statement. */
export async function approvalSettingsWithin(db: Db, project_id: number): Promise<ApprovalSettingsWithin> {
  const rows = await rowsAtProject(db, project_id)
  const own = rows.find(({ group_id }) => group_id === null)
  return within(own ?? defaults, rows.filter(({ group_id }) => group_id !== null).map(withoutPlace))
}

/** The effective settings of a project, for callers who needn't know who demands them. One statement. */
export async function approvalSettingsOf(db: Db, project_id: number): Promise<ApprovalSettings> {
  return (await approvalSettingsWithin(db, project_id)).effective
}

/** As `approvalSettingsWithin`, for a group and the groups above it. One statement. */
export async function groupApprovalSettings(db: Db, id: number): Promise<ApprovalSettingsWithin> {
  const rows = await db
    .selectFrom('group_approval_settings')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'group_approval_settings.group_id')
    .select(columns)
    .select('group_id')
    .where('namespace_id', '=', id)
    .execute()
  const own = rows.find(({ group_id }) => group_id === id)
  return within(own ?? open, rows.filter(({ group_id }) => group_id !== id).map(withoutPlace))
}

function within(own: ApprovalSettings, others: readonly ApprovalSettings[]): ApprovalSettingsWithin {
  const mine = withoutPlace(own)
  const demanded = others.reduce(strictest, open)
  const above = columns.some((name) => demanded[name] !== open[name]) ? demanded : null
  return { own: mine, above, effective: above === null ? mine : strictest(mine, above) }
}

function withoutPlace(row: ApprovalSettings): ApprovalSettings {
  return {
    merge_requests_author_approval: row.merge_requests_author_approval,
    merge_requests_disable_committers_approval: row.merge_requests_disable_committers_approval,
    reset_approvals_on: row.reset_approvals_on,
    selective_code_owner_removals: row.selective_code_owner_removals,
    disable_overriding_approvers_per_merge_request: row.disable_overriding_approvers_per_merge_request,
    require_password_to_approve: row.require_password_to_approve,
  }
}

const resets = ['never', 'change', 'push'] as const

function strictest(one: ApprovalSettings, other: ApprovalSettings): ApprovalSettings {
  const either = (name: Exclude<keyof ApprovalSettings, 'reset_approvals_on'>) => one[name] || other[name]
  return {
    merge_requests_author_approval: one.merge_requests_author_approval && other.merge_requests_author_approval,
    merge_requests_disable_committers_approval: either('merge_requests_disable_committers_approval'),
    reset_approvals_on: resets[Math.max(resets.indexOf(one.reset_approvals_on), resets.indexOf(other.reset_approvals_on))] ?? 'push',
    selective_code_owner_removals: either('selective_code_owner_removals'),
    disable_overriding_approvers_per_merge_request: either('disable_overriding_approvers_per_merge_request'),
    require_password_to_approve: either('require_password_to_approve'),
  }
}

/** Whether the groups above leave a project, or a group below, no less strict value of this setting. */
export function isLocked(above: ApprovalSettings | null, name: keyof ApprovalSettings): boolean {
  return above !== null && above[name] !== open[name]
}

export async function saveApprovalSettings(tx: Tx, project_id: number, change: ApprovalSettingsChange): Promise<void> {
  await tx
    .insertInto('approval_settings')
    .values({ project_id, ...change })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id, ...change }))
    .execute()
}

export async function saveGroupApprovalSettings(tx: Tx, group_id: number, change: ApprovalSettingsChange): Promise<void> {
  await tx
    .insertInto('group_approval_settings')
    .values({ group_id, ...change })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet({ group_id, ...change }))
    .execute()
}
