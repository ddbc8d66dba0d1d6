/** Which approvals a push takes away: a pure function of the settings of the project and of what changed. */
import type { ApprovalSettings } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'

/** `owners`: those of users who own, by the CODEOWNERS file, what is another change than before. */
export type Lost = 'none' | 'all' | 'owners'

export function lostByPush(
  { reset_approvals_on, selective_code_owner_removals }: Pick<ApprovalSettings, 'reset_approvals_on' | 'selective_code_owner_removals'>,
  { is_same_change, changed_owners }: Pick<EventOf<'merge_request_version_created'>, 'is_same_change' | 'changed_owners'>,
): Lost {
  if (reset_approvals_on === 'push') return 'all'
  if (is_same_change) return 'none'
  if (reset_approvals_on === 'change') return 'all'
  if (!selective_code_owner_removals) return 'none'
  // If the owners of the changed files can't be found out, all approvals go.
  return changed_owners === null ? 'all' : 'owners'
}
