/** How merge requests leave a stack that is being merged. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, StackedMerge, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isQueuedBehind, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { carOf, takeOutIn } from '../merge-trains/merge-trains.ts'
import { deleteStackedMerge, stackedMergeOf, stackedMergesAt } from './stack-merges.queries.ts'

/** Takes a waiting merge request out of its stack, with those above it. Does nothing if it doesn't wait. */
export async function leaveStack(tx: Tx, id: number, actor_id: number, because: string): Promise<void> {
  const merge_request = (await stackedMergeOf(tx, id)) && (await mergeRequestById(tx, id))
  if (!merge_request) return
  const car = isQueuedBehind(merge_request) ? await carOf(tx, id) : null
  // This publishes `merge_request_unqueued`, whose subscriber ends its part of the stack.
  if (car) return takeOutIn(tx, car, because)
  if (!(await deleteStackedMerge(tx, id))) return
  await publish(tx, { type: 'merge_request_unstacked', merge_request, actor_id, at: now(), because })
  await leaveAbove(tx, merge_request, actor_id, `!${merge_request.iid} is not merged`)
}

/** Takes out those directly above it, which can't be merged without it; each takes out those above itself. */
export async function leaveAbove(tx: Tx, { id }: MergeRequest, actor_id: number, because: string): Promise<void> {
  const waiting = await stackedMergesAt(tx, id)
  for (const { merge_request_id } of waiting.filter(({ below_id }) => below_id === id))
    await leaveStack(tx, merge_request_id, actor_id, because)
}

/** Takes it out on request of the user, whom the reason names. */
export function cancelStackedMerge(app: App, user: User, { id }: MergeRequest): Promise<void> {
  return inTransaction(app.db, (tx) => leaveStack(tx, id, user.id, `${user.username} has taken it out`))
}

/** Whether these are the commits that were to be merged, rebased or not. */
export function isAsAsked({ head_oid, rebased_oid }: StackedMerge, oid: string | null): boolean {
  return oid !== null && (oid === head_oid || oid === rebased_oid)
}
