/**
 * The table of subscribers: how features react to each event, in this order. It is one table because several features react to most events,
 * and their `*.feature.ts` files could not say which comes first. It isn't in the index, as `gitstead shell` needs no endpoints.
 */
import { enqueued, inSameTransaction, joined, type Subscribers } from '../domain-events/domain-events.ts'
import { accountSubscribers } from './account-subscribers.ts'
import { stopWithBranches } from './ci/environments/environments.subscribers.ts'
import { buildPushJob } from './ci/pipelines/pipelines.jobs.ts'
import { pushToBuild } from './ci/pipelines/pipelines.subscribers.ts'
import { ciSubscribers } from './ci-subscribers.ts'
import { findClosedIssuesJob, ifClosingOthers } from './commands/merge-requests/closes.jobs.ts'
import { closeByNewTexts, closeByTexts } from './commands/merge-requests/closes.subscribers.ts'
import {
  finishMerges,
  followBranches,
  ifMergingLater,
  mergeBlocked,
  mergeWaiting,
  mergeWithNewRules,
  restackAbove,
  restackSame,
  retarget,
  unlockDropped,
  unscheduleForTarget,
} from './commands/merging/merging.subscribers.ts'
import { mergeWaitingJob } from './commands/merging/waiting.jobs.ts'
import {
  recordApproval,
  recordExpiries,
  recordIssue,
  recordIssueClosing,
  recordIssueReopening,
  recordJoin,
  recordLeave,
  recordMergeActivity,
  recordMergeRequest,
  recordMergeRequestClosing,
  recordMergeRequestReopening,
  recordMilestone,
  recordNote,
  recordProject,
  recordPushActivity,
  recordWikiActivity,
} from './discussion/activity/activity.subscribers.ts'
import { traceNotesJob } from './discussion/diff-discussions/diff-discussions.jobs.ts'
import { placeOnCommitsJob } from './discussion/notes/commit-notes.jobs.ts'
import {
  describeCommits,
  noteApproval,
  noteDeletedSource,
  noteKeptApprovals,
  noteMerge,
  noteMergeRequestChanges,
  noteMergeRequestClosing,
  noteMergeRequestReopening,
  noteRestacking,
  noteScheduling,
  noteUnscheduling,
} from './discussion/notes/merge-requests.subscribers.ts'
import { notePushJob } from './discussion/notes/notes.jobs.ts'
import { noteChanges, noteClosing, noteCopy, noteLink, noteReopening, noteUnlinking } from './discussion/notes/notes.subscribers.ts'
import { readCommitsJob } from './discussion/references/references.jobs.ts'
import { followChanged, followNew, followNote, readNewCommits } from './discussion/references/references.subscribers.ts'
import {
  recordChanges,
  recordClosing,
  recordFirstLabels,
  recordMerge,
  recordReopening,
} from './discussion/resource-events/resource-events.subscribers.ts'
import {
  askToApprove,
  askToApproveDeployment,
  askToFix,
  askToResolve,
  assignAtCreation,
  assignNew,
  completeByAct,
  completeByAward,
  completeByChange,
  completeByDecision,
  completeByNote,
} from './discussion/todos/todos.subscribers.ts'
import { pagesToRecord, recordPagesJob } from './documents/wikis/activity.jobs.ts'
import { measureWikiJob, wikiHousekeepingJob } from './documents/wikis/wikis.jobs.ts'
import { noteWikiPush, removeWikiOfProject, removeWikisOfGroups } from './documents/wikis/wikis.subscribers.ts'
import { auditSubscribers } from './instance/audit-log/audit-log.subscribers.ts'
import { webhookSubscribers } from './integrations/deliveries/webhooks.subscribers.ts'
import { copyTemplates } from './integrations/services/services.subscribers.ts'
import { mailSubscribers } from './mail-subscribers.ts'
import { mergeTrainSubscribers } from './merge-train-subscribers.ts'
import { authorizedKeysJob } from './people/keys/keys.jobs.ts'
import { rewriteIfConcerned } from './people/keys/keys.subscribers.ts'
import { leaveMilestone } from './planning/issues/milestones.subscribers.ts'
import { carryLabels } from './planning/labels/labels.subscribers.ts'
import { carryMilestones } from './planning/milestones/milestones.subscribers.ts'
import { afterPush_ms, housekeepingJob } from './repository/housekeeping/housekeeping.jobs.ts'
import { protectFirstBranch } from './repository/protected-refs/protected-refs.subscribers.ts'
import { describePushesJob } from './repository/pushes/pushes.jobs.ts'
import { countStatsJob } from './repository/stats/stats.jobs.ts'
import { countIfDefaultBranchMoved } from './repository/stats/stats.subscribers.ts'
import { resetAfterPush, resetAfterRetarget } from './review/approvals/approvals.subscribers.ts'
import { closeMergeRequestsOfEndedFork, closeMergeRequestsOfRemoved } from './review/fork-merge-requests/fork-merge-requests.subscribers.ts'
import { buildMergeRequestJob } from './review/merge-request-pipelines/merge-request-pipelines.jobs.ts'
import { toBuild, toBuildAgain } from './review/merge-request-pipelines/merge-request-pipelines.subscribers.ts'
import { leaveMilestoneOfMergeRequests } from './review/merge-requests/milestones.subscribers.ts'
import { removeRefsJob, writeRefsJob } from './review/versions/refs.jobs.ts'
import { followNewTarget, lookAgain, noteMovedBranches } from './review/versions/versions.subscribers.ts'
import { updateIndexJob } from './search/code-index/code-index.jobs.ts'
import { fallBehind, indexIfMoved } from './search/code-index/code-index.subscribers.ts'
import { removeFulfilledAccessRequest } from './spaces/access-requests/access-requests.subscribers.ts'
import { enrolOwner } from './spaces/members/members.subscribers.ts'
import { measureProjectJob } from './spaces/projects/projects.jobs.ts'
import { narrowForksWith, notePush } from './spaces/projects/projects.subscribers.ts'
import { removeRepositoryJob } from './spaces/projects/removal.jobs.ts'
import { abandonArchives } from './transfer/group-archives/group-archives.subscribers.ts'
import { updatePushMirrors } from './transfer/push-mirrors/push-mirrors.subscribers.ts'

const ofProject = ({ project_id }: { project_id: number }) => ({ project_id })
const ofWiki = ({ wiki_id }: { wiki_id: number }) => ({ wiki_id })

/** Events in the order in which they happen to a project. The reactions to an event run in the order of the list. */
const reactions: Subscribers = {
  refs_pushed: [
    // Marks merged requests first, as the other reactions look for open ones.
    inSameTransaction(finishMerges),
    inSameTransaction(recordPushActivity),
    inSameTransaction(notePush),
    enqueued(measureProjectJob, ofProject),
    inSameTransaction(protectFirstBranch),
    enqueued(countStatsJob, countIfDefaultBranchMoved),
    inSameTransaction(fallBehind),
    enqueued(updateIndexJob, indexIfMoved),
    enqueued(describePushesJob, ofProject),
    enqueued(readCommitsJob, readNewCommits),
    enqueued(housekeepingJob, ofProject, { delay_ms: afterPush_ms }),
    inSameTransaction(noteMovedBranches),
    inSameTransaction(followBranches),
    inSameTransaction(retarget),
    enqueued(buildPushJob, pushToBuild),
    inSameTransaction(updatePushMirrors),
    inSameTransaction(stopWithBranches),
  ],
  push_dropped: [inSameTransaction(unlockDropped)],
  merge_request_created: [
    enqueued(buildMergeRequestJob, toBuild),
    inSameTransaction(recordFirstLabels),
    inSameTransaction(recordMergeRequest),
    inSameTransaction(assignAtCreation),
    inSameTransaction(followNew),
    inSameTransaction(closeByTexts),
    enqueued(findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  ],
  merge_request_pushed: [
    enqueued(buildMergeRequestJob, toBuild),
    enqueued(notePushJob, describeCommits),
    inSameTransaction(completeByAct),
    enqueued(findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  ],
  wiki_pushed: [
    inSameTransaction(noteWikiPush),
    inSameTransaction(recordWikiActivity),
    enqueued(recordPagesJob, pagesToRecord),
    enqueued(measureWikiJob, ofWiki),
    enqueued(wikiHousekeepingJob, ofWiki, { delay_ms: afterPush_ms }),
  ],
  issue_created: [
    inSameTransaction(recordFirstLabels),
    inSameTransaction(recordIssue),
    inSameTransaction(assignAtCreation),
    inSameTransaction(followNew),
  ],
  issue_changed: [
    inSameTransaction(recordChanges),
    inSameTransaction(noteChanges),
    // Completes the actor's to-do items first; then the same event creates new ones.
    inSameTransaction(completeByChange),
    inSameTransaction(assignNew),
    inSameTransaction(followChanged),
  ],
  issue_closed: [
    inSameTransaction(recordClosing),
    inSameTransaction(noteClosing),
    inSameTransaction(recordIssueClosing),
    inSameTransaction(completeByAct),
  ],
  issue_reopened: [inSameTransaction(recordReopening), inSameTransaction(noteReopening), inSameTransaction(recordIssueReopening)],
  merge_request_changed: [
    inSameTransaction(recordChanges),
    inSameTransaction(noteMergeRequestChanges),
    inSameTransaction(completeByChange),
    inSameTransaction(assignNew),
    inSameTransaction(followChanged),
    inSameTransaction(unscheduleForTarget),
    inSameTransaction(closeByNewTexts),
    enqueued(findClosedIssuesJob, ifClosingOthers),
    inSameTransaction(followNewTarget),
    enqueued(buildMergeRequestJob, toBuildAgain),
    inSameTransaction(resetAfterRetarget),
  ],
  merge_request_approval_asked: [inSameTransaction(askToApprove)],
  deployment_approval_asked: [inSameTransaction(askToApproveDeployment)],
  deployment_decided: [inSameTransaction(completeByDecision)],
  merge_request_approved: [
    inSameTransaction(noteApproval),
    inSameTransaction(recordApproval),
    inSameTransaction(completeByAct),
    // It may have waited for this approval only.
    enqueued(mergeWaitingJob, ifMergingLater),
  ],
  merge_request_unapproved: [inSameTransaction(noteApproval)],
  merge_request_restacked: [inSameTransaction(noteRestacking), inSameTransaction(restackAbove)],
  merge_request_approvals_kept: [inSameTransaction(noteKeptApprovals)],
  approval_rule_changed: [inSameTransaction(mergeWithNewRules)],
  merge_request_closed: [
    inSameTransaction(recordClosing),
    inSameTransaction(noteMergeRequestClosing),
    inSameTransaction(recordMergeRequestClosing),
    inSameTransaction(completeByAct),
  ],
  merge_request_reopened: [
    inSameTransaction(recordReopening),
    inSameTransaction(noteMergeRequestReopening),
    inSameTransaction(recordMergeRequestReopening),
    enqueued(findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
    inSameTransaction(lookAgain),
  ],
  merge_request_merged: [
    inSameTransaction(recordMerge),
    inSameTransaction(noteMerge),
    inSameTransaction(recordMergeActivity),
    inSameTransaction(completeByAct),
    enqueued(writeRefsJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
    inSameTransaction(mergeBlocked),
    inSameTransaction(restackSame),
  ],
  merge_request_unmergeable: [inSameTransaction(askToResolve)],
  commit_status_failed: [inSameTransaction(askToFix)],
  pipeline_succeeded: [inSameTransaction(mergeWaiting)],
  merge_request_merge_scheduled: [
    inSameTransaction(noteScheduling),
    // Its pipeline may have succeeded during the mergeability check.
    enqueued(mergeWaitingJob, ({ merge_request: { id }, oid }) => ({ merge_request_id: id, oid })),
  ],
  merge_request_merge_unscheduled: [inSameTransaction(noteUnscheduling)],
  merge_request_source_deleted: [inSameTransaction(noteDeletedSource)],
  issue_copied: [inSameTransaction(noteCopy)],
  issues_linked: [inSameTransaction(noteLink)],
  issues_unlinked: [inSameTransaction(noteUnlinking)],
  note_created: [inSameTransaction(recordNote), inSameTransaction(completeByNote), inSameTransaction(followNote)],
  note_changed: [inSameTransaction(completeByNote), inSameTransaction(followNote)],
  emoji_awarded: [inSameTransaction(completeByAward)],
  milestone_created: [inSameTransaction(recordMilestone('created'))],
  milestone_closed: [inSameTransaction(recordMilestone('closed'))],
  milestone_reopened: [inSameTransaction(recordMilestone('reopened'))],
  milestone_removed: [
    inSameTransaction(leaveMilestone),
    inSameTransaction(leaveMilestoneOfMergeRequests),
    inSameTransaction(recordMilestone('destroyed')),
  ],
  project_created: [inSameTransaction(enrolOwner), inSameTransaction(recordProject), inSameTransaction(copyTemplates)],
  project_restored: [
    enqueued(measureProjectJob, ofProject),
    enqueued(countStatsJob, countIfDefaultBranchMoved),
    enqueued(placeOnCommitsJob, ofProject),
    inSameTransaction(fallBehind),
    enqueued(updateIndexJob, indexIfMoved),
    enqueued(housekeepingJob, ofProject, { delay_ms: afterPush_ms }),
  ],
  project_transferred: [inSameTransaction(carryLabels), inSameTransaction(carryMilestones)],
  project_visibility_changed: [inSameTransaction(narrowForksWith)],
  fork_ended: [inSameTransaction(closeMergeRequestsOfEndedFork)],
  project_removed: [
    inSameTransaction(closeMergeRequestsOfRemoved),
    enqueued(removeRepositoryJob, ofProject),
    inSameTransaction(removeWikiOfProject),
  ],
  namespace_removed: [inSameTransaction(removeWikisOfGroups), inSameTransaction(abandonArchives)],
  member_added: [inSameTransaction(removeFulfilledAccessRequest), inSameTransaction(recordJoin)],
  member_removed: [inSameTransaction(recordLeave)],
  members_expired: [inSameTransaction(recordExpiries)],
  merge_request_version_created: [
    inSameTransaction(resetAfterPush),
    enqueued(traceNotesJob, ({ merge_request: { id }, actor_id }) => ({ merge_request_id: id, actor_id })),
  ],
  merge_request_removed: [enqueued(removeRefsJob, ({ merge_request: { project_id, iid } }) => ({ project_id, iid }))],
  settings_changed: [enqueued(authorizedKeysJob, rewriteIfConcerned)],
}

/** The audit log comes first, as other reactions may remove what it refers to. Hooks come last, after everything else. */
export const subscribers = joined(
  auditSubscribers,
  reactions,
  ciSubscribers,
  mergeTrainSubscribers,
  accountSubscribers,
  webhookSubscribers,
  mailSubscribers,
)
