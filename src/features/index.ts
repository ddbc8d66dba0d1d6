/** The table of contents: every feature, in the order of the wings. Features are listed explicitly, not discovered in folders. */
import type { Endpoint } from '../http/declare/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'
import { agentsFeature } from './ci/agents/agents.feature.ts'
import { artifactsFeature } from './ci/artifacts/artifacts.feature.ts'
import { downstreamFeature } from './ci/downstream/downstream.feature.ts'
import { environmentsFeature } from './ci/environments/environments.feature.ts'
import { freezePeriodsFeature } from './ci/freeze-periods/freeze-periods.feature.ts'
import { jobArtifactsFeature } from './ci/job-artifacts/job-artifacts.feature.ts'
import { jobTokensFeature } from './ci/job-tokens/job-tokens.feature.ts'
import { jobsFeature } from './ci/jobs/jobs.feature.ts'
import { lintFeature } from './ci/lint/lint.feature.ts'
import { packagesFeature } from './ci/packages/packages.feature.ts'
import { pipelinesFeature } from './ci/pipelines/pipelines.feature.ts'
import { processingFeature } from './ci/processing/processing.feature.ts'
import { projectFlagsFeature } from './ci/project-flags/project-flags.feature.ts'
import { protectedEnvironmentsFeature } from './ci/protected-environments/protected-environments.feature.ts'
import { resourceGroupsFeature } from './ci/resource-groups/resource-groups.feature.ts'
import { runnersFeature } from './ci/runners/runners.feature.ts'
import { schedulesFeature } from './ci/schedules/schedules.feature.ts'
import { secureFilesFeature } from './ci/secure-files/secure-files.feature.ts'
import { statusesFeature } from './ci/statuses/statuses.feature.ts'
import { terraformStatesFeature } from './ci/terraform-states/terraform-states.feature.ts'
import { testReportsFeature } from './ci/test-reports/test-reports.feature.ts'
import { tracesFeature } from './ci/traces/traces.feature.ts'
import { triggersFeature } from './ci/triggers/triggers.feature.ts'
import { variablesFeature } from './ci/variables/variables.feature.ts'
import { changesFeature } from './commands/changes/changes.feature.ts'
import { commitCommentsFeature } from './commands/commit-comments/commit-comments.feature.ts'
import { draftNotesFeature } from './commands/draft-notes/draft-notes.feature.ts'
import { commandsIssuesFeature } from './commands/issues/issues.feature.ts'
import { commandsMergeRequestsFeature } from './commands/merge-requests/merge-requests.feature.ts'
import { mergeTrainsFeature } from './commands/merge-trains/merge-trains.feature.ts'
import { mergingFeature } from './commands/merging/merging.feature.ts'
import { commandsNotesFeature } from './commands/notes/notes.feature.ts'
import { stackMergesFeature } from './commands/stack-merges/stack-merges.feature.ts'
import { suggestionsFeature } from './commands/suggestions/suggestions.feature.ts'
import { activityFeature } from './discussion/activity/activity.feature.ts'
import { awardEmojiFeature } from './discussion/award-emoji/award-emoji.feature.ts'
import { diffDiscussionsFeature } from './discussion/diff-discussions/diff-discussions.feature.ts'
import { discussionNotesFeature } from './discussion/notes/notes.feature.ts'
import { referencesFeature } from './discussion/references/references.feature.ts'
import { resourceEventsFeature } from './discussion/resource-events/resource-events.feature.ts'
import { subscriptionsFeature } from './discussion/subscriptions/subscriptions.feature.ts'
import { todosFeature } from './discussion/todos/todos.feature.ts'
import { changelogsFeature } from './documents/changelogs/changelogs.feature.ts'
import { releasesFeature } from './documents/releases/releases.feature.ts'
import { wikisFeature } from './documents/wikis/wikis.feature.ts'
import type { Feature } from './feature.ts'
import { auditLogFeature } from './instance/audit-log/audit-log.feature.ts'
import { broadcastMessagesFeature } from './instance/broadcast-messages/broadcast-messages.feature.ts'
import { customAttributesFeature } from './instance/custom-attributes/custom-attributes.feature.ts'
import { featureFlagsFeature } from './instance/feature-flags/feature-flags.feature.ts'
import { listCountsFeature } from './instance/list-counts.feature.ts'
import { settingsFeature } from './instance/settings/settings.feature.ts'
import { sidekiqFeature } from './instance/sidekiq/sidekiq.feature.ts'
import { statisticsFeature } from './instance/statistics/statistics.feature.ts'
import { storageHealthFeature } from './instance/storage-health/storage-health.feature.ts'
import { templatesFeature } from './instance/templates/templates.feature.ts'
import { versionFeature } from './instance/version.feature.ts'
import { deliveriesFeature } from './integrations/deliveries/deliveries.feature.ts'
import { hooksFeature } from './integrations/hooks/hooks.feature.ts'
import { servicesFeature } from './integrations/services/services.feature.ts'
import { slashCommandsFeature } from './integrations/slash-commands/slash-commands.feature.ts'
import { statusChecksFeature } from './integrations/status-checks/status-checks.feature.ts'
import { namespacesFeature } from './namespaces/namespaces.feature.ts'
import { accountMailsFeature } from './notifications/account-mails/account-mails.feature.ts'
import { activityMailsFeature } from './notifications/activity-mails/activity-mails.feature.ts'
import { memberMailsFeature } from './notifications/member-mails/member-mails.feature.ts'
import { outboxFeature } from './notifications/outbox/outbox.feature.ts'
import { pipelineMailsFeature } from './notifications/pipeline-mails/pipeline-mails.feature.ts'
import { repliesFeature } from './notifications/replies/replies.feature.ts'
import { unsubscribingFeature } from './notifications/unsubscribing/unsubscribing.feature.ts'
import { accountTokensFeature } from './people/account-tokens/account-tokens.feature.ts'
import { followsFeature } from './people/follows/follows.feature.ts'
import { gpgKeysFeature } from './people/gpg-keys/gpg-keys.feature.ts'
import { identitiesFeature } from './people/identities/identities.feature.ts'
import { keysFeature } from './people/keys/keys.feature.ts'
import { oauthFeature } from './people/oauth/oauth.feature.ts'
import { oauthApplicationsFeature } from './people/oauth-applications/oauth-applications.feature.ts'
import { secondFactorFeature } from './people/second-factor/second-factor.feature.ts'
import { sessionsFeature } from './people/sessions/sessions.feature.ts'
import { usersFeature } from './people/users/users.feature.ts'
import { boardsFeature } from './planning/boards/boards.feature.ts'
import { issueLinksFeature } from './planning/issue-links/issue-links.feature.ts'
import { issueOrderFeature } from './planning/issue-order/issue-order.feature.ts'
import { planningIssuesFeature } from './planning/issues/issues.feature.ts'
import { labelsFeature } from './planning/labels/labels.feature.ts'
import { milestonesFeature } from './planning/milestones/milestones.feature.ts'
import { branchesFeature } from './repository/branches/branches.feature.ts'
import { codeOwnersFeature } from './repository/code-owners/code-owners.feature.ts'
import { commitActionsFeature } from './repository/commit-actions/commit-actions.feature.ts'
import { commitsFeature } from './repository/commits/commits.feature.ts'
import { contentsFeature } from './repository/contents/contents.feature.ts'
import { deployKeysFeature } from './repository/deploy-keys/deploy-keys.feature.ts'
import { deployTokensFeature } from './repository/deploy-tokens/deploy-tokens.feature.ts'
import { descriptionTemplatesFeature } from './repository/description-templates/description-templates.feature.ts'
import { fetchesFeature } from './repository/fetches/fetches.feature.ts'
import { filesFeature } from './repository/files/files.feature.ts'
import { housekeepingFeature } from './repository/housekeeping/housekeeping.feature.ts'
import { lfsFeature } from './repository/lfs/lfs.feature.ts'
import { protectedRefsFeature } from './repository/protected-refs/protected-refs.feature.ts'
import { pushRulesFeature } from './repository/push-rules/push-rules.feature.ts'
import { pushesFeature } from './repository/pushes/pushes.feature.ts'
import { snapshotsFeature } from './repository/snapshots.feature.ts'
import { statsFeature } from './repository/stats/stats.feature.ts'
import { tagsFeature } from './repository/tags/tags.feature.ts'
import { approvalRulesFeature } from './review/approval-rules/approval-rules.feature.ts'
import { approvalsFeature } from './review/approvals/approvals.feature.ts'
import { dependenciesFeature } from './review/dependencies/dependencies.feature.ts'
import { mergeRequestPipelinesFeature } from './review/merge-request-pipelines/merge-request-pipelines.feature.ts'
import { reviewMergeRequestsFeature } from './review/merge-requests/merge-requests.feature.ts'
import { mergeabilityFeature } from './review/mergeability/mergeability.feature.ts'
import { milestoneIssuesFeature } from './review/milestone-issues/milestone-issues.feature.ts'
import { versionsFeature } from './review/versions/versions.feature.ts'
import { codeIndexFeature } from './search/code-index/code-index.feature.ts'
import { searchesFeature } from './search/searches/searches.feature.ts'
import { sections } from './sections.ts'
import { snippetsFeature } from './snippets/snippets.feature.ts'
import { accessRequestsFeature } from './spaces/access-requests/access-requests.feature.ts'
import { accessTokensFeature } from './spaces/access-tokens/access-tokens.feature.ts'
import { badgesFeature } from './spaces/badges/badges.feature.ts'
import { directorySyncFeature } from './spaces/directory-sync/directory-sync.feature.ts'
import { groupSharesFeature } from './spaces/group-shares/group-shares.feature.ts'
import { groupsFeature } from './spaces/groups/groups.feature.ts'
import { invitationsFeature } from './spaces/invitations/invitations.feature.ts'
import { membersFeature } from './spaces/members/members.feature.ts'
import { notificationSettingsFeature } from './spaces/notification-settings/notification-settings.feature.ts'
import { projectsFeature } from './spaces/projects/projects.feature.ts'
import { reservedNamesFeature } from './spaces/reserved-names/reserved-names.feature.ts'
import { resourceTokensFeature } from './spaces/resource-tokens/resource-tokens.feature.ts'
import { scheduledDeletionsFeature } from './spaces/scheduled-deletions/scheduled-deletions.feature.ts'
import { serviceAccountsFeature } from './spaces/service-accounts/service-accounts.feature.ts'
import { topicsFeature } from './spaces/topics/topics.feature.ts'
import { uploadsFeature } from './spaces/uploads/uploads.feature.ts'
import { userDeletionFeature } from './spaces/user-deletion/user-deletion.feature.ts'
import { appearanceFeature } from './storage/appearance/appearance.feature.ts'
import { avatarsFeature } from './storage/avatars/avatars.feature.ts'
import { objectStorageFeature } from './storage/object-storage/object-storage.feature.ts'
import { archiveImportsFeature } from './transfer/archive-imports/archive-imports.feature.ts'
import { exportsFeature } from './transfer/exports/exports.feature.ts'
import { forksFeature } from './transfer/forks/forks.feature.ts'
import { groupArchivesFeature } from './transfer/group-archives/group-archives.feature.ts'
import { importsFeature } from './transfer/imports/imports.feature.ts'
import { projectCreationFeature } from './transfer/project-creation.feature.ts'
import { pullMirrorsFeature } from './transfer/pull-mirrors/pull-mirrors.feature.ts'
import { pushMirrorsFeature } from './transfer/push-mirrors/push-mirrors.feature.ts'

export { subscribers } from './subscribers.ts'

const features: Feature[] = [
  auditLogFeature,
  broadcastMessagesFeature,
  customAttributesFeature,
  featureFlagsFeature,
  listCountsFeature,
  settingsFeature,
  sidekiqFeature,
  statisticsFeature,
  storageHealthFeature,
  templatesFeature,
  versionFeature,
  avatarsFeature,
  appearanceFeature,
  objectStorageFeature,
  namespacesFeature,
  gpgKeysFeature,
  followsFeature,
  identitiesFeature,
  keysFeature,
  sessionsFeature,
  secondFactorFeature,
  accountTokensFeature,
  oauthApplicationsFeature,
  oauthFeature,
  usersFeature,
  accessRequestsFeature,
  accessTokensFeature,
  badgesFeature,
  directorySyncFeature,
  groupSharesFeature,
  groupsFeature,
  invitationsFeature,
  membersFeature,
  notificationSettingsFeature,
  projectsFeature,
  reservedNamesFeature,
  resourceTokensFeature,
  scheduledDeletionsFeature,
  serviceAccountsFeature,
  topicsFeature,
  uploadsFeature,
  userDeletionFeature,
  branchesFeature,
  codeOwnersFeature,
  commitActionsFeature,
  commitsFeature,
  contentsFeature,
  deployKeysFeature,
  deployTokensFeature,
  descriptionTemplatesFeature,
  fetchesFeature,
  filesFeature,
  housekeepingFeature,
  lfsFeature,
  protectedRefsFeature,
  pushRulesFeature,
  pushesFeature,
  snapshotsFeature,
  statsFeature,
  tagsFeature,
  boardsFeature,
  issueLinksFeature,
  issueOrderFeature,
  planningIssuesFeature,
  labelsFeature,
  milestonesFeature,
  agentsFeature,
  artifactsFeature,
  downstreamFeature,
  environmentsFeature,
  freezePeriodsFeature,
  protectedEnvironmentsFeature,
  jobArtifactsFeature,
  jobTokensFeature,
  jobsFeature,
  lintFeature,
  packagesFeature,
  pipelinesFeature,
  processingFeature,
  projectFlagsFeature,
  resourceGroupsFeature,
  runnersFeature,
  schedulesFeature,
  secureFilesFeature,
  statusesFeature,
  terraformStatesFeature,
  testReportsFeature,
  tracesFeature,
  triggersFeature,
  variablesFeature,
  approvalRulesFeature,
  dependenciesFeature,
  approvalsFeature,
  mergeRequestPipelinesFeature,
  reviewMergeRequestsFeature,
  mergeabilityFeature,
  milestoneIssuesFeature,
  versionsFeature,
  snippetsFeature,
  activityFeature,
  awardEmojiFeature,
  diffDiscussionsFeature,
  discussionNotesFeature,
  referencesFeature,
  resourceEventsFeature,
  subscriptionsFeature,
  todosFeature,
  changelogsFeature,
  releasesFeature,
  wikisFeature,
  changesFeature,
  commitCommentsFeature,
  draftNotesFeature,
  commandsIssuesFeature,
  commandsMergeRequestsFeature,
  mergingFeature,
  mergeTrainsFeature,
  stackMergesFeature,
  commandsNotesFeature,
  suggestionsFeature,
  codeIndexFeature,
  searchesFeature,
  archiveImportsFeature,
  exportsFeature,
  groupArchivesFeature,
  forksFeature,
  importsFeature,
  projectCreationFeature,
  pullMirrorsFeature,
  pushMirrorsFeature,
  deliveriesFeature,
  hooksFeature,
  servicesFeature,
  slashCommandsFeature,
  statusChecksFeature,
  accountMailsFeature,
  activityMailsFeature,
  memberMailsFeature,
  pipelineMailsFeature,
  outboxFeature,
  repliesFeature,
  unsubscribingFeature,
]

export const endpoints: Endpoint[] = features
  .flatMap((feature) => feature.endpoints)
  .sort((a, b) => sections.indexOf(a.tag) - sections.indexOf(b.tag))

export const jobs: AnyJob[] = features.flatMap((feature) => feature.jobs)
