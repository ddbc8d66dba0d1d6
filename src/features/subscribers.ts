/** The table of subscribers: what follows from each event, in this order. Not in the index: `gitstead shell` needs no endpoints. */
import { enqueued, inSameTransaction, type Subscriber } from '../domain-events/domain-events.ts'
import { followStatus, startBridges } from './ci/downstream/downstream.subscribers.ts'
import { followJobs, prepareEnvironments, repeatDeployment, stopWithBranches } from './ci/environments/environments.subscribers.ts'
import { buildPushJob, cancelOutdatedJob } from './ci/pipelines/pipelines.jobs.ts'
import { outdating, pushToBuild } from './ci/pipelines/pipelines.subscribers.ts'
import { startNextJob } from './ci/processing/processing.jobs.ts'
import { startLater } from './ci/processing/processing.subscribers.ts'
import { leaveStatusesToGhost } from './ci/statuses/statuses.subscribers.ts'
import { closeTraces } from './ci/traces/traces.subscribers.ts'
import { findClosedIssuesJob, ifClosingOthers } from './commands/merge-requests/closes.jobs.ts'
import { closeByNewTexts, closeByTexts } from './commands/merge-requests/closes.subscribers.ts'
import { finishMerges, followBranches, mergeWaiting, unlockDropped, unscheduleForTarget } from './commands/merging/merging.subscribers.ts'
import { mergeWaitingJob } from './commands/merging/waiting.jobs.ts'
import { leavePlanningToGhost } from './commands/user-deletion/planning.subscribers.ts'
import { traceNotesJob } from './discussion/diff-discussions/diff-discussions.jobs.ts'
import { placeOnCommitsJob } from './discussion/notes/commit-notes.jobs.ts'
import {
  describeCommits,
  noteApproval,
  noteDeletedSource,
  noteMerge,
  noteMergeRequestChanges,
  noteMergeRequestClosing,
  noteMergeRequestReopening,
  noteScheduling,
  noteUnscheduling,
} from './discussion/notes/merge-requests.subscribers.ts'
import { notePushJob } from './discussion/notes/notes.jobs.ts'
import { noteChanges, noteClosing, noteLink, noteMove, noteReopening, noteUnlinking } from './discussion/notes/notes.subscribers.ts'
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
  askToFix,
  askToResolve,
  assignAtCreation,
  assignNew,
  completeByAct,
  completeByAward,
  completeByChange,
  completeByNote,
} from './discussion/todos/todos.subscribers.ts'
import { leaveReleasesToGhost } from './documents/releases/releases.subscribers.ts'
import { measureWikiJob, wikiHousekeepingJob } from './documents/wikis/wikis.jobs.ts'
import { noteWikiPush, removeWikiOfProject, removeWikisOfGroups } from './documents/wikis/wikis.subscribers.ts'
import { webhookSubscribers } from './integrations/deliveries/webhooks.subscribers.ts'
import { copyTemplates } from './integrations/services/services.subscribers.ts'
import { authorizedKeysJob } from './people/keys/keys.jobs.ts'
import { removeKeys, rewriteIfConcerned } from './people/keys/keys.subscribers.ts'
import { endOtherSessions, endSessions } from './people/sessions/sessions.subscribers.ts'
import { leaveMilestone } from './planning/issues/milestones.subscribers.ts'
import { carryLabels } from './planning/labels/labels.subscribers.ts'
import { carryMilestones } from './planning/milestones/milestones.subscribers.ts'
import { afterPush_ms, housekeepingJob } from './repository/housekeeping/housekeeping.jobs.ts'
import { protectFirstBranch } from './repository/protected-refs/protected-refs.subscribers.ts'
import { describePushesJob } from './repository/pushes/pushes.jobs.ts'
import { leavePushesToGhost } from './repository/pushes/pushes.subscribers.ts'
import { countStatsJob } from './repository/stats/stats.jobs.ts'
import { countIfDefaultBranchMoved } from './repository/stats/stats.subscribers.ts'
import { resetAfterPush, resetAfterRetarget } from './review/approvals/approvals.subscribers.ts'
import { closeRequestsOfEndedFork, closeRequestsOfRemoved } from './review/fork-requests/fork-requests.subscribers.ts'
import { buildMergeRequestJob } from './review/merge-request-pipelines/merge-request-pipelines.jobs.ts'
import { leaveMilestoneOfRequests } from './review/merge-requests/milestones.subscribers.ts'
import { removeRefsJob, writeRefsJob } from './review/versions/refs.jobs.ts'
import { followNewTarget, leavePendingToGhost, lookAgain, noteMovedBranches } from './review/versions/versions.subscribers.ts'
import { updateIndexJob } from './search/code-index/code-index.jobs.ts'
import { fallBehind, indexIfMoved } from './search/code-index/code-index.subscribers.ts'
import { removeSnippetsOf } from './snippets/snippets.subscribers.ts'
import { removeFulfilledRequest } from './spaces/access-requests/access-requests.subscribers.ts'
import {
  leaveActivityToGhost,
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
import { enrolOwner } from './spaces/members/members.subscribers.ts'
import { measureProjectJob } from './spaces/projects/projects.jobs.ts'
import { leaveProjectsToGhost, narrowForksWith, notePush, removeStars } from './spaces/projects/projects.subscribers.ts'
import { removeRepositoryJob } from './spaces/projects/removal.jobs.ts'
import { leaveUploadsToGhost } from './spaces/uploads/uploads.subscribers.ts'
import { updatePushMirrors } from './transfer/push-mirrors/push-mirrors.subscribers.ts'

const ofProject = ({ project_id }: { project_id: number }) => ({ project_id })
const ofWiki = ({ wiki_id }: { wiki_id: number }) => ({ wiki_id })

export const subscribers: Subscriber[] = [
  // What was merged is no longer open when the others ask for open merge requests.
  inSameTransaction('refs_pushed', finishMerges),
  inSameTransaction('push_dropped', unlockDropped),
  inSameTransaction('refs_pushed', recordPushActivity),
  inSameTransaction('refs_pushed', notePush),
  enqueued('refs_pushed', measureProjectJob, ofProject),
  inSameTransaction('refs_pushed', protectFirstBranch),
  enqueued('refs_pushed', countStatsJob, countIfDefaultBranchMoved),
  inSameTransaction('refs_pushed', fallBehind),
  enqueued('refs_pushed', updateIndexJob, indexIfMoved),
  enqueued('refs_pushed', describePushesJob, ofProject),
  enqueued('refs_pushed', readCommitsJob, readNewCommits),
  enqueued('refs_pushed', housekeepingJob, ofProject, { delay_ms: afterPush_ms }),
  inSameTransaction('refs_pushed', noteMovedBranches),
  inSameTransaction('refs_pushed', followBranches),
  enqueued('refs_pushed', buildPushJob, pushToBuild),
  inSameTransaction('refs_pushed', updatePushMirrors),

  enqueued('pipeline_created', cancelOutdatedJob, outdating),
  enqueued('merge_request_created', buildMergeRequestJob, ({ merge_request: { id, project_id }, actor_id }) => ({
    project_id,
    merge_request_id: id,
    user_id: actor_id,
  })),
  enqueued('merge_request_pushed', buildMergeRequestJob, ({ merge_request: { id, project_id }, actor_id }) => ({
    project_id,
    merge_request_id: id,
    user_id: actor_id,
  })),

  inSameTransaction('job_scheduled', startLater),
  inSameTransaction('bridges_started', startBridges),
  inSameTransaction('pipeline_status_changed', followStatus),
  enqueued('resource_freed', startNextJob, ({ resource_group_id }) => ({ resource_group_id })),

  inSameTransaction('refs_pushed', stopWithBranches),
  inSameTransaction('pipeline_created', prepareEnvironments),
  inSameTransaction('job_statuses_changed', followJobs),
  inSameTransaction('job_retried', repeatDeployment),

  inSameTransaction('wiki_pushed', noteWikiPush),
  inSameTransaction('wiki_pushed', recordWikiActivity),
  enqueued('wiki_pushed', measureWikiJob, ofWiki),
  enqueued('wiki_pushed', wikiHousekeepingJob, ofWiki, { delay_ms: afterPush_ms }),

  inSameTransaction('job_statuses_changed', closeTraces),

  inSameTransaction('issue_created', recordFirstLabels),
  inSameTransaction('issue_created', recordIssue),
  inSameTransaction('issue_created', assignAtCreation),
  inSameTransaction('issue_created', followNew),

  inSameTransaction('issue_changed', recordChanges),
  inSameTransaction('issue_changed', noteChanges),
  // Whoever acts has done their todos; then come those that the same act causes.
  inSameTransaction('issue_changed', completeByChange),
  inSameTransaction('issue_changed', assignNew),
  inSameTransaction('issue_changed', followChanged),

  inSameTransaction('issue_closed', recordClosing),
  inSameTransaction('issue_closed', noteClosing),
  inSameTransaction('issue_closed', recordIssueClosing),
  inSameTransaction('issue_closed', completeByAct),

  inSameTransaction('issue_reopened', recordReopening),
  inSameTransaction('issue_reopened', noteReopening),
  inSameTransaction('issue_reopened', recordIssueReopening),

  inSameTransaction('merge_request_created', recordFirstLabels),
  inSameTransaction('merge_request_created', recordMergeRequest),
  inSameTransaction('merge_request_created', assignAtCreation),
  inSameTransaction('merge_request_created', followNew),

  inSameTransaction('merge_request_changed', recordChanges),
  inSameTransaction('merge_request_changed', noteMergeRequestChanges),
  inSameTransaction('merge_request_changed', completeByChange),
  inSameTransaction('merge_request_changed', assignNew),
  inSameTransaction('merge_request_changed', followChanged),
  inSameTransaction('merge_request_changed', unscheduleForTarget),

  enqueued('merge_request_pushed', notePushJob, describeCommits),
  inSameTransaction('merge_request_pushed', completeByAct),

  inSameTransaction('merge_request_approved', noteApproval),
  inSameTransaction('merge_request_approved', recordApproval),
  inSameTransaction('merge_request_approved', completeByAct),
  inSameTransaction('merge_request_unapproved', noteApproval),

  inSameTransaction('merge_request_closed', recordClosing),
  inSameTransaction('merge_request_closed', noteMergeRequestClosing),
  inSameTransaction('merge_request_closed', recordMergeRequestClosing),
  inSameTransaction('merge_request_closed', completeByAct),

  inSameTransaction('merge_request_reopened', recordReopening),
  inSameTransaction('merge_request_reopened', noteMergeRequestReopening),
  inSameTransaction('merge_request_reopened', recordMergeRequestReopening),

  inSameTransaction('merge_request_merged', recordMerge),
  inSameTransaction('merge_request_merged', noteMerge),
  inSameTransaction('merge_request_merged', recordMergeActivity),
  inSameTransaction('merge_request_merged', completeByAct),

  inSameTransaction('merge_request_unmergeable', askToResolve),
  inSameTransaction('commit_status_failed', askToFix),

  inSameTransaction('pipeline_succeeded', mergeWaiting),
  inSameTransaction('merge_request_merge_scheduled', noteScheduling),
  // Its pipeline may have succeeded while it was looked at.
  enqueued('merge_request_merge_scheduled', mergeWaitingJob, ({ merge_request: { id }, oid }) => ({ merge_request_id: id, oid })),
  inSameTransaction('merge_request_merge_unscheduled', noteUnscheduling),
  inSameTransaction('merge_request_source_deleted', noteDeletedSource),

  inSameTransaction('issue_moved', noteMove),
  inSameTransaction('issues_linked', noteLink),
  inSameTransaction('issues_unlinked', noteUnlinking),

  inSameTransaction('note_created', recordNote),
  inSameTransaction('note_created', completeByNote),
  inSameTransaction('note_created', followNote),

  inSameTransaction('note_changed', completeByNote),
  inSameTransaction('note_changed', followNote),

  inSameTransaction('emoji_awarded', completeByAward),

  inSameTransaction('milestone_created', recordMilestone('created')),
  inSameTransaction('milestone_closed', recordMilestone('closed')),
  inSameTransaction('milestone_reopened', recordMilestone('reopened')),
  inSameTransaction('milestone_removed', leaveMilestone),
  inSameTransaction('milestone_removed', leaveMilestoneOfRequests),
  inSameTransaction('milestone_removed', recordMilestone('destroyed')),

  inSameTransaction('project_created', enrolOwner),
  inSameTransaction('project_created', recordProject),
  inSameTransaction('project_created', copyTemplates),

  enqueued('project_restored', measureProjectJob, ofProject),
  enqueued('project_restored', countStatsJob, countIfDefaultBranchMoved),
  enqueued('project_restored', placeOnCommitsJob, ofProject),
  inSameTransaction('project_restored', fallBehind),
  enqueued('project_restored', updateIndexJob, indexIfMoved),
  enqueued('project_restored', housekeepingJob, ofProject, { delay_ms: afterPush_ms }),

  inSameTransaction('project_transferred', carryLabels),
  inSameTransaction('project_transferred', carryMilestones),
  inSameTransaction('project_visibility_changed', narrowForksWith),
  inSameTransaction('fork_ended', closeRequestsOfEndedFork),
  inSameTransaction('project_removed', closeRequestsOfRemoved),
  enqueued('project_removed', removeRepositoryJob, ofProject),
  inSameTransaction('project_removed', removeWikiOfProject),
  inSameTransaction('namespace_removed', removeWikisOfGroups),

  inSameTransaction('member_added', removeFulfilledRequest),
  inSameTransaction('member_added', recordJoin),
  inSameTransaction('member_removed', recordLeave),
  inSameTransaction('members_expired', recordExpiries),

  inSameTransaction('user_blocked', endSessions),
  inSameTransaction('user_password_changed', endOtherSessions),

  inSameTransaction('user_deletion_started', removeStars),
  // Until the row was locked the user may have starred one more.
  inSameTransaction('merge_request_created', closeByTexts),
  inSameTransaction('merge_request_changed', closeByNewTexts),
  enqueued('merge_request_created', findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  enqueued('merge_request_changed', findClosedIssuesJob, ifClosingOthers),
  enqueued('merge_request_pushed', findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  enqueued('merge_request_reopened', findClosedIssuesJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  inSameTransaction('merge_request_changed', followNewTarget),
  inSameTransaction('merge_request_changed', resetAfterRetarget),
  inSameTransaction('merge_request_version_created', resetAfterPush),
  inSameTransaction('merge_request_reopened', lookAgain),
  enqueued('merge_request_version_created', traceNotesJob, ({ merge_request: { id }, actor_id }) => ({ merge_request_id: id, actor_id })),
  enqueued('merge_request_merged', writeRefsJob, ({ merge_request: { id } }) => ({ merge_request_id: id })),
  enqueued('merge_request_removed', removeRefsJob, ({ merge_request: { project_id, iid } }) => ({ project_id, iid })),

  inSameTransaction('user_deleted', removeStars),
  inSameTransaction('user_deleted', leavePushesToGhost),
  inSameTransaction('user_deleted', leavePendingToGhost),
  inSameTransaction('user_deleted', leaveActivityToGhost),
  inSameTransaction('user_deleted', leavePlanningToGhost),
  inSameTransaction('user_deleted', removeSnippetsOf),
  inSameTransaction('user_deleted', leaveStatusesToGhost),
  inSameTransaction('user_deleted', leaveReleasesToGhost),
  inSameTransaction('user_deleted', leaveProjectsToGhost),
  inSameTransaction('user_deleted', leaveUploadsToGhost),
  inSameTransaction('user_deleted', removeKeys),
  enqueued('user_deleted', authorizedKeysJob, () => ({})),

  enqueued('settings_changed', authorizedKeysJob, rewriteIfConcerned),

  ...webhookSubscribers,
]
