/** The table of contents: every endpoint, job and subscriber. Nothing is found by looking into folders. */
import { type Endpoint, section } from '../http/declare/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'
import { agents } from './ci/agents/agents.endpoints.ts'
import { agentJobs } from './ci/agents/agents.jobs.ts'
import { artifacts } from './ci/artifacts/artifacts.endpoints.ts'
import { artifactJobs } from './ci/artifacts/artifacts.jobs.ts'
import { downstreamJobs } from './ci/downstream/downstream.jobs.ts'
import { deployments } from './ci/environments/deployments.endpoints.ts'
import { environments } from './ci/environments/environments.endpoints.ts'
import { environmentJobs } from './ci/environments/environments.jobs.ts'
import { freezePeriods } from './ci/freeze-periods/freeze-periods.endpoints.ts'
import { artifactChanges } from './ci/job-artifacts/job-artifacts.endpoints.ts'
import { jobTokenScope } from './ci/job-tokens/scope.endpoints.ts'
import { jobs as ciJobs } from './ci/jobs/jobs.endpoints.ts'
import { lint } from './ci/lint/lint.endpoints.ts'
import { packages } from './ci/packages/packages.endpoints.ts'
import { pipelines } from './ci/pipelines/pipelines.endpoints.ts'
import { pipelineJobs } from './ci/pipelines/pipelines.jobs.ts'
import { processingJobs } from './ci/processing/processing.jobs.ts'
import { resourceGroups } from './ci/resource-groups/resource-groups.endpoints.ts'
import { runnersOfPlaces } from './ci/runners/places.endpoints.ts'
import { runnerRegistration } from './ci/runners/registration.endpoints.ts'
import { runners } from './ci/runners/runners.endpoints.ts'
import { schedules } from './ci/schedules/schedules.endpoints.ts'
import { scheduleJobs } from './ci/schedules/schedules.jobs.ts'
import { statuses } from './ci/statuses/statuses.endpoints.ts'
import { testReports } from './ci/test-reports/test-reports.endpoints.ts'
import { traces } from './ci/traces/traces.endpoints.ts'
import { traceJobs } from './ci/traces/traces.jobs.ts'
import { triggers } from './ci/triggers/triggers.endpoints.ts'
import { variables } from './ci/variables/variables.endpoints.ts'
import { mergeRequestFiles } from './commands/changes/changes.endpoints.ts'
import { commitComments } from './commands/commit-comments/commit-comments.endpoints.ts'
import { draftNotes } from './commands/draft-notes/draft-notes.endpoints.ts'
import { issueChanges } from './commands/issues/issues.endpoints.ts'
import { findClosedIssuesJob } from './commands/merge-requests/closes.jobs.ts'
import { mergeRequestChanges } from './commands/merge-requests/merge-requests.endpoints.ts'
import { mergeRequestMerging } from './commands/merge-requests/merging.endpoints.ts'
import { followPushJob } from './commands/merging/merging.jobs.ts'
import { removeSourceJob } from './commands/merging/removal.jobs.ts'
import { mergeWaitingJob } from './commands/merging/waiting.jobs.ts'
import { noteChanges } from './commands/notes/notes.endpoints.ts'
import { mergeAskedJob } from './commands/notes/notes.jobs.ts'
import { suggestions } from './commands/suggestions/suggestions.endpoints.ts'
import { activityJobs } from './discussion/activity/activity.jobs.ts'
import { events } from './discussion/activity/events.endpoints.ts'
import { awardEmoji } from './discussion/award-emoji/award-emoji.endpoints.ts'
import { traceNotesJob } from './discussion/diff-discussions/diff-discussions.jobs.ts'
import { placeOnCommitsJob } from './discussion/notes/commit-notes.jobs.ts'
import { notes } from './discussion/notes/notes.endpoints.ts'
import { notePushJob } from './discussion/notes/notes.jobs.ts'
import { noteOnCommitsJob } from './discussion/references/commit-mentions.jobs.ts'
import { markdown } from './discussion/references/markdown.endpoints.ts'
import { readCommitsJob } from './discussion/references/references.jobs.ts'
import { resourceEvents } from './discussion/resource-events/resource-events.endpoints.ts'
import { subscriptions } from './discussion/subscriptions/subscriptions.endpoints.ts'
import { todos } from './discussion/todos/todos.endpoints.ts'
import { releases } from './documents/releases/releases.endpoints.ts'
import { wikis } from './documents/wikis/wikis.endpoints.ts'
import { wikiJobs } from './documents/wikis/wikis.jobs.ts'
import { broadcastMessages } from './instance/broadcast-messages/broadcast-messages.endpoints.ts'
import { customAttributes } from './instance/custom-attributes/custom-attributes.endpoints.ts'
import { features } from './instance/feature-flags/feature-flags.endpoints.ts'
import { listCountJobs } from './instance/list-counts.jobs.ts'
import { settings } from './instance/settings/settings.endpoints.ts'
import { queueMetrics } from './instance/sidekiq/sidekiq.endpoints.ts'
import { statistics } from './instance/statistics/statistics.endpoints.ts'
import { storageHealth } from './instance/storage-health/storage-health.endpoints.ts'
import { templates } from './instance/templates/templates.endpoints.ts'
import { version } from './instance/version.endpoints.ts'
import { deliveries } from './integrations/deliveries/deliveries.endpoints.ts'
import { webhookJobs } from './integrations/deliveries/deliveries.jobs.ts'
import { integrationDeliveries } from './integrations/deliveries/services.endpoints.ts'
import { wikiPagesJob } from './integrations/deliveries/wiki-pages.jobs.ts'
import { hooks } from './integrations/hooks/hooks.endpoints.ts'
import { services } from './integrations/services/services.endpoints.ts'
import { followElsewhereJob, propagateJob } from './integrations/services/services.jobs.ts'
import { namespaces } from './namespaces/namespaces.endpoints.ts'
import { gpgKeys } from './people/gpg-keys/gpg-keys.endpoints.ts'
import { keys } from './people/keys/keys.endpoints.ts'
import { keyJobs } from './people/keys/keys.jobs.ts'
import { sessionJobs } from './people/sessions/sessions.jobs.ts'
import { userActivities } from './people/users/activities.endpoints.ts'
import { avatarByEmail } from './people/users/avatar.endpoints.ts'
import { emails } from './people/users/emails.endpoints.ts'
import { userStatus } from './people/users/status.endpoints.ts'
import { users } from './people/users/users.endpoints.ts'
import { userChanges } from './people/users/writes.endpoints.ts'
import { boards } from './planning/boards/boards.endpoints.ts'
import { issueLinks } from './planning/issue-links/issue-links.endpoints.ts'
import { issueOrder } from './planning/issue-order/issue-order.endpoints.ts'
import { issues } from './planning/issues/issues.endpoints.ts'
import { issueLists } from './planning/issues/lists.endpoints.ts'
import { labels } from './planning/labels/labels.endpoints.ts'
import { milestones } from './planning/milestones/milestones.endpoints.ts'
import { branches } from './repository/branches/branches.endpoints.ts'
import { commitChanges } from './repository/commit-actions/commit-actions.endpoints.ts'
import { commits } from './repository/commits/commits.endpoints.ts'
import { signatures } from './repository/commits/signature.endpoints.ts'
import { archives } from './repository/contents/archive.endpoints.ts'
import { comparisons } from './repository/contents/compare.endpoints.ts'
import { repository } from './repository/contents/contents.endpoints.ts'
import { deployKeys } from './repository/deploy-keys/deploy-keys.endpoints.ts'
import { deployTokens } from './repository/deploy-tokens/deploy-tokens.endpoints.ts'
import { templatesOfDescriptions } from './repository/description-templates/description-templates.endpoints.ts'
import { files } from './repository/files/files.endpoints.ts'
import { fileChanges } from './repository/files/writes.endpoints.ts'
import { housekeeping, housekeepingJobs } from './repository/housekeeping/housekeeping.endpoints.ts'
import { lfsJobs } from './repository/lfs/lfs.jobs.ts'
import { protectedRefs } from './repository/protected-refs/protected-refs.endpoints.ts'
import { describePushesJob, reconcilePushesJob } from './repository/pushes/pushes.jobs.ts'
import { snapshots } from './repository/snapshots.endpoints.ts'
import { repositoryStats, repositoryStatsJobs } from './repository/stats/stats.endpoints.ts'
import { tags } from './repository/tags/tags.endpoints.ts'
import { approvals } from './review/approvals/approvals.endpoints.ts'
import { mergeRequestPipelines } from './review/merge-request-pipelines/merge-request-pipelines.endpoints.ts'
import { buildMergeRequestJob } from './review/merge-request-pipelines/merge-request-pipelines.jobs.ts'
import { mergeRequestLists } from './review/merge-requests/lists.endpoints.ts'
import { refreshMergeabilityJob } from './review/mergeability/mergeability.jobs.ts'
import { milestoneIssues } from './review/milestone-issues/milestone-issues.endpoints.ts'
import { followTargetsJob, refreshVersionsJob } from './review/versions/pushes.jobs.ts'
import { removeRefsJob, writeRefsJob } from './review/versions/refs.jobs.ts'
import { mergeRequestVersions } from './review/versions/versions.endpoints.ts'
import { codeIndexJobs } from './search/code-index/code-index.jobs.ts'
import { searches } from './search/searches/searches.endpoints.ts'
import { snippets } from './snippets/snippets.endpoints.ts'
import { snippetChanges } from './snippets/writes.endpoints.ts'
import { accessRequests } from './spaces/access-requests/access-requests.endpoints.ts'
import { accessTokens } from './spaces/access-tokens/access-tokens.endpoints.ts'
import { badges } from './spaces/badges/badges.endpoints.ts'
import { groupShares } from './spaces/group-shares/group-shares.endpoints.ts'
import { groups } from './spaces/groups/groups.endpoints.ts'
import { sharedGroups } from './spaces/groups/shares.endpoints.ts'
import { groupChanges } from './spaces/groups/writes.endpoints.ts'
import { members } from './spaces/members/members.endpoints.ts'
import { memberJobs } from './spaces/members/members.jobs.ts'
import { memberships } from './spaces/members/memberships.endpoints.ts'
import { projects } from './spaces/projects/projects.endpoints.ts'
import { projectJobs } from './spaces/projects/projects.jobs.ts'
import { projectRelations } from './spaces/projects/related.endpoints.ts'
import { projectState } from './spaces/projects/state.endpoints.ts'
import { reservedNameJobs } from './spaces/reserved-names/reserved-names.jobs.ts'
import { resourceTokens } from './spaces/resource-tokens/resource-tokens.endpoints.ts'
import { resourceTokenJobs } from './spaces/resource-tokens/resource-tokens.jobs.ts'
import { topics } from './spaces/topics/topics.endpoints.ts'
import { uploads } from './spaces/uploads/uploads.endpoints.ts'
import { userDeletion } from './spaces/user-deletion/user-deletion.endpoints.ts'
import { avatars } from './storage/avatars/avatars.endpoints.ts'
import { removeObjectsJob } from './storage/object-storage/object-storage.jobs.ts'
import { archiveImports } from './transfer/archive-imports/archive-imports.endpoints.ts'
import { archiveImportJobs } from './transfer/archive-imports/archive-imports.jobs.ts'
import { exports } from './transfer/exports/exports.endpoints.ts'
import { exportJobs } from './transfer/exports/exports.jobs.ts'
import { forks } from './transfer/forks/forks.endpoints.ts'
import { forkJobs } from './transfer/forks/forks.jobs.ts'
import { importJobs } from './transfer/imports/imports.jobs.ts'
import { projectCreation } from './transfer/project-creation.endpoints.ts'
import { pullMirrors } from './transfer/pull-mirrors/pull-mirrors.endpoints.ts'
import { pullMirrorJobs } from './transfer/pull-mirrors/pull-mirrors.jobs.ts'
import { pushMirrors } from './transfer/push-mirrors/push-mirrors.endpoints.ts'
import { pushMirrorJobs } from './transfer/push-mirrors/push-mirrors.jobs.ts'

export { subscribers } from './subscribers.ts'

export const endpoints: Endpoint[] = [
  ...section('Version', version, statistics),
  ...section('Users', users, avatarByEmail, userChanges, userDeletion, userStatus, emails, userActivities),
  ...section('Access tokens', accessTokens, resourceTokens),
  ...section('GPG keys', gpgKeys),
  ...section('SSH keys', keys),
  ...section('Namespaces', namespaces),
  ...section('Groups', groups, groupChanges, sharedGroups),
  ...section('Projects', projects, projectCreation, projectState, projectRelations, groupShares, uploads, avatars),
  ...section('Topics', topics),
  ...section('Forks', forks),
  ...section('Export and import', exports, archiveImports, snapshots),
  ...section('Members', members, memberships),
  ...section('Access requests', accessRequests),
  ...section('Badges', badges),
  ...section('Custom attributes', customAttributes),
  ...section('Repository', repository, archives, comparisons, repositoryStats, housekeeping),
  ...section('Files', files, fileChanges),
  ...section('Commits', commits, signatures, commitChanges, commitComments, statuses),
  ...section('Branches', branches),
  ...section('Protected refs', protectedRefs),
  ...section('Deploy keys', deployKeys),
  ...section('Deploy tokens', deployTokens),
  ...section('Tags and releases', tags, releases),
  ...section('Wikis', wikis),
  ...section('Issues', issueLists, issues, issueChanges, issueOrder, subscriptions, issueLinks, resourceEvents),
  ...section(
    'Merge requests',
    mergeRequestLists,
    mergeRequestChanges,
    mergeRequestMerging,
    mergeRequestVersions,
    mergeRequestFiles,
    approvals,
    draftNotes,
    suggestions,
  ),
  ...section('Search', searches),
  ...section('Notes and discussions', notes, noteChanges),
  ...section('Award emoji', awardEmoji),
  ...section('Snippets', snippets, snippetChanges),
  ...section('Webhooks', hooks, deliveries),
  ...section('Mirrors', pushMirrors, pullMirrors),
  ...section('Integrations', services, integrationDeliveries),
  ...section('Labels', labels),
  ...section('Milestones', milestones, milestoneIssues),
  ...section('Todos', todos),
  ...section('Boards', boards),
  ...section('Events', events),
  ...section('Settings', settings),
  ...section('Broadcast messages', broadcastMessages),
  ...section('Feature flags', features),
  ...section('Monitoring', queueMetrics, storageHealth),
  ...section('Templates', templates, templatesOfDescriptions),
  ...section('CI files', lint),
  ...section('Pipelines', pipelines, mergeRequestPipelines),
  ...section('Job traces', traces),
  ...section('Job artifacts', artifacts, artifactChanges, testReports),
  ...section('Packages', packages),
  ...section('Runners', runners, runnersOfPlaces, runnerRegistration, agents),
  ...section('Jobs', ciJobs),
  ...section('Job tokens', jobTokenScope),
  ...section('CI variables', variables),
  ...section('Pipeline triggers', triggers),
  ...section('Pipeline schedules', schedules),
  ...section('Environments', environments, deployments, resourceGroups, freezePeriods),
  ...section('Markdown', markdown),
]

export const jobs: AnyJob[] = [
  findClosedIssuesJob,
  ...projectJobs,
  ...reservedNameJobs,
  describePushesJob,
  readCommitsJob,
  noteOnCommitsJob,
  notePushJob,
  placeOnCommitsJob,
  mergeAskedJob,
  reconcilePushesJob,
  refreshVersionsJob,
  followTargetsJob,
  writeRefsJob,
  refreshMergeabilityJob,
  traceNotesJob,
  followPushJob,
  removeSourceJob,
  mergeWaitingJob,
  removeRefsJob,
  ...repositoryStatsJobs,
  ...housekeepingJobs,
  ...wikiJobs,
  ...keyJobs,
  removeObjectsJob,
  ...lfsJobs,
  ...traceJobs,
  ...artifactJobs,
  ...memberJobs,
  ...activityJobs,
  ...webhookJobs,
  propagateJob,
  followElsewhereJob,
  wikiPagesJob,
  ...forkJobs,
  ...importJobs,
  ...pushMirrorJobs,
  ...pullMirrorJobs,
  ...exportJobs,
  ...archiveImportJobs,
  ...sessionJobs,
  ...resourceTokenJobs,
  ...listCountJobs,
  ...codeIndexJobs,
  ...pipelineJobs,
  buildMergeRequestJob,
  ...scheduleJobs,
  ...environmentJobs,
  ...agentJobs,
  ...processingJobs,
  ...downstreamJobs,
]
