/** Which status checks hear of a merge request, and asking one of them again. */
import type { Tx } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { checksOn } from '../../review/status-checks/status-checks.ts'
import { deliverTo } from './deliver.ts'
import { sendJob } from './deliveries.jobs.ts'
import type { HookInPlace } from './deliveries.queries.ts'
import { mergeRequestFacts } from './merge-request-facts.service.ts'

export const mergeRequestEvent = 'Merge Request Hook'

/** Status checks of other branches are not told. */
export async function withoutOtherChecks(tx: Tx, row: MergeRequest, hooks: HookInPlace[]): Promise<HookInPlace[]> {
  if (!hooks.some(({ is_status_check }) => is_status_check)) return hooks
  const told = new Set((await checksOn(tx, row)).map(({ id }) => id))
  return hooks.filter(({ id, is_status_check }) => !is_status_check || told.has(id))
}

/** Asks a status check once more about a merge request. */
export async function askCheckAgain(tx: Tx, check: HookInPlace, row: MergeRequest, user_id: number): Promise<void> {
  const facts = await mergeRequestFacts(tx, { merge_request: row, actor_id: user_id }, { action: 'update', before: {} })
  if (await deliverTo(tx, [check], mergeRequestEvent, [{ facts }])) await enqueue(tx, sendJob, {})
}
