/** How queues of merge requests react to what concerns them, and what follows when one enters or leaves. After the other reactions. */
import { enqueued, inSameTransaction, type Subscribers } from '../domain-events/domain-events.ts'
import { addWaitingJob } from './commands/merge-trains/merge-trains.jobs.ts'
import {
  arrive,
  checkAgain,
  checkDiscussed,
  checkThoseOf,
  checkWithNewRules,
  followTargets,
  followTests,
  leaveTrain,
  resumeDropped,
  toAdd,
} from './commands/merge-trains/merge-trains.subscribers.ts'
import { ifMergingLater } from './commands/merging/merging.subscribers.ts'
import { mergeWaitingJob } from './commands/merging/waiting.jobs.ts'
import { endStack, enterApproved, enterBehind, enterTested, goOn, keepRebased } from './commands/stack-merges/stack-merges.subscribers.ts'
import { noteQueueing, noteStacking, noteUnqueueing, noteUnstacking } from './discussion/notes/merge-requests.subscribers.ts'
import { askToQueueAgain } from './discussion/todos/todos.subscribers.ts'

export const mergeTrainSubscribers: Subscribers = {
  refs_pushed: [inSameTransaction(followTargets)],
  push_dropped: [inSameTransaction(resumeDropped)],
  pipeline_status_changed: [inSameTransaction(followTests)],
  pipeline_succeeded: [inSameTransaction(enterTested)],
  merge_request_queued: [inSameTransaction(noteQueueing), inSameTransaction(enterBehind)],
  merge_request_unqueued: [
    inSameTransaction(leaveTrain),
    inSameTransaction(noteUnqueueing),
    inSameTransaction(askToQueueAgain),
    inSameTransaction(endStack),
  ],
  merge_request_ready: [enqueued(addWaitingJob, toAdd)],
  merge_request_merge_unscheduled: [inSameTransaction(endStack)],
  merge_request_merged: [inSameTransaction(arrive), inSameTransaction(goOn)],
  merge_request_closed: [inSameTransaction(leaveTrain), inSameTransaction(endStack)],
  merge_request_removed: [inSameTransaction(leaveTrain), inSameTransaction(endStack)],
  merge_request_restacked: [inSameTransaction(keepRebased)],
  merge_request_stacked: [inSameTransaction(noteStacking)],
  merge_request_unstacked: [inSameTransaction(noteUnstacking), inSameTransaction(askToQueueAgain)],
  merge_request_changed: [inSameTransaction(checkAgain)],
  merge_request_version_created: [inSameTransaction(checkAgain)],
  merge_request_approved: [inSameTransaction(enterApproved)],
  merge_request_unapproved: [inSameTransaction(checkAgain)],
  status_check_answered: [inSameTransaction(checkAgain), enqueued(mergeWaitingJob, ifMergingLater), inSameTransaction(enterApproved)],
  approval_rule_changed: [inSameTransaction(checkWithNewRules)],
  note_created: [inSameTransaction(checkDiscussed)],
  note_changed: [inSameTransaction(checkDiscussed)],
  user_blocked: [inSameTransaction(checkThoseOf)],
  member_removed: [inSameTransaction(checkThoseOf)],
  member_changed: [inSameTransaction(checkThoseOf)],
}
