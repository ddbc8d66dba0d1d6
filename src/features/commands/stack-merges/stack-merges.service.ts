/**
 * Merges a stack as a whole. Without a queue its lowest is merged at once, and each of the others when the one below it has been; a queue takes
 * them in order, each behind the one below it as soon as nothing else keeps it.
 */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { mayMergeTo, type Pusher } from '../../repository/pushes/pushes.ts'
import { readStack, type Stacked } from '../../review/dependencies/dependencies.ts'
import { lockMergeRequest, mergeRequestsByIds } from '../../review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { mergeOrAdd } from '../merge-trains/merge-trains.ts'
import { leaveAbove } from './leaving.service.ts'
import { followLater } from './stack-merges.jobs.ts'
import { insertStackedMerge } from './stack-merges.queries.ts'

/** A merge request of a stack, with the tip of its source branch. */
export interface Step {
  id: number
  head_oid: string
}

/** The stack up to a merge request in it, from the lowest; empty if nothing is below it. One statement. */
export async function stepsOf(db: Db, stack: readonly Stacked[], id: number): Promise<MergeRequest[]> {
  const ids = stack.slice(0, stack.findIndex((one) => one.id === id) + 1).map((one) => one.id)
  if (ids.length < 2) return []
  const rows = new Map((await mergeRequestsByIds(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((one) => rows.get(one) ?? [])
}

/**
 * Merges all up to this one, in order. Throws 403 if the user may not merge the lowest, 409 if the stack is another than the one that they
 * have seen, and what refuses the merge of the lowest; then none of them waits. What refuses one of the others leaves it out, with those
 * above it.
 */
export async function mergeStack(app: App, pusher: Pusher, merge_request: MergeRequest, seen: readonly Step[]): Promise<void> {
  const steps: MergeRequest[] = []
  for (const step of await stepsOf(app.db, await readStack(app.db, pusher.user, merge_request), merge_request.id))
    steps.push((await currentVersion(app, step))?.merge_request ?? step)
  const isAsSeen =
    steps.length === seen.length && steps.every((step, at) => step.id === seen[at]?.id && step.head_oid === seen[at]?.head_oid)
  const [lowest, ...others] = steps
  if (!lowest || !isAsSeen) throw new Failure('conflict', 'The stack has changed since: look at it, and merge it again')
  if (!(await mayMergeTo(app, pusher, lowest.target_branch))) throw forbidden()
  const { id: user_id } = pusher.user
  await inTransaction(app.db, async (tx) => {
    let below = lowest
    for (const { id: merge_request_id, head_oid } of others) {
      if (head_oid === null) throw new Failure('conflict', 'A merge request of the stack has no commits')
      await insertStackedMerge(tx, { merge_request_id, below_id: below.id, user_id, head_oid })
      const locked = await lockMergeRequest(tx, merge_request_id)
      if (locked) await publish(tx, { type: 'merge_request_stacked', merge_request: locked, actor_id: user_id, at: now(), below })
      below = locked ?? below
    }
  })
  // If the lowest one is already set to merge, the others follow from that.
  if (lowest.merge_when_pipeline_succeeds) return inTransaction(app.db, (tx) => followLater(tx, lowest))
  try {
    await mergeOrAdd(app, pusher, lowest, { merge_when_pipeline_succeeds: true, sha: lowest.head_oid ?? undefined })
  } catch (error) {
    await inTransaction(app.db, (tx) => leaveAbove(tx, lowest, user_id, `!${lowest.iid} could not be merged`))
    throw error
  }
}
