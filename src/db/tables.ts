/** The list of all tables and the types of their rows: the one file that others import. */
import type { AccessTokenTable, DeployTokenTable } from './tables/access-tokens.ts'
import type { ApprovalTables } from './tables/approvals.ts'
import type { BackupTable } from './tables/backups.ts'
import type { BadgeTable } from './tables/badges.ts'
import type { BroadcastMessageTable } from './tables/broadcast-messages.ts'
import type {
  CiDeploymentTable,
  CiEnvironmentTable,
  CiFreezePeriodTable,
  CiJobTokenGroupTable,
  CiJobTokenProjectTable,
  CiResourceGroupTable,
} from './tables/ci/ci-deployments.ts'
import type { CiArtifactTable, CiJobTable, CiQueueTable, CiTraceChunkTable, CiTraceTable } from './tables/ci/ci-jobs.ts'
import type { ProtectedEnvironmentTables } from './tables/ci/ci-protected-environments.ts'
import type { CiRunnerManagerTable, CiRunnerProjectTable, CiRunnerTable, CiVariableTable } from './tables/ci/ci-runners.ts'
import type { CiScheduleTable, CiScheduleVariableTable, CiTriggerTable } from './tables/ci/ci-starts.ts'
import type { DeliveryTables } from './tables/ci/delivery.ts'
import type { CodePartTable, CodeProjectTable, CodeSegmentTable } from './tables/code-index.ts'
import type { CustomAttributeTable } from './tables/custom-attributes.ts'
import type { EventTable } from './tables/events.ts'
import type { GroupExportTable, ProjectExportTable, ProjectImportTable } from './tables/exports.ts'
import type { HookDeliveryCountTable, HookDeliveryTable, HookPayloadTable, HookTable } from './tables/hooks.ts'
import type { ChatNameTable, IntegrationTable } from './tables/integrations.ts'
import type {
  InternalIdTable,
  IssueAssigneeTable,
  IssueCountTable,
  IssueLabelTable,
  IssueLinkTable,
  IssueMentionTable,
  IssueTable,
  LabelEventTable,
  MilestoneEventTable,
  StateEventTable,
  SubscriptionTable,
  TimeLogTable,
  UserAgentDetailTable,
} from './tables/issues.ts'
import type { JobTable } from './tables/jobs.ts'
import type { DeployKeyProjectTable, GpgKeyTable, SshKeyTable } from './tables/keys.ts'
import type { LabelPriorityTable, LabelTable, MilestoneTable } from './tables/labels.ts'
import type { LfsLinkTable, LfsLockTable, LfsObjectTable, LfsTokenTable } from './tables/lfs.ts'
import type { AccessRequestTable, GroupShareTable, InvitationTable, MemberTable } from './tables/members.ts'
import type { MergeRequestTables } from './tables/merge-requests.ts'
import type { MergeTrainTables } from './tables/merge-trains.ts'
import type { PullMirrorTable, PushMirrorTable } from './tables/mirrors.ts'
import type { NamespaceAncestorTable, NamespaceTable, RedirectTable, RouteTable } from './tables/namespaces.ts'
import type { AwardEmojiTable, BoardListTable, BoardTable, NoteTable, TodoTable } from './tables/notes.ts'
import type { UnreferencedObjectTable, UploadTable } from './tables/objects.ts'
import type { FeatureGateTable, FeatureTable, QueueTotalTable, QueueWorkerTable, StorageFailureTable } from './tables/operations.ts'
import type { CommitStatusTable, DownstreamPipelineTable, PipelineTable, PipelineVariableTable } from './tables/pipelines.ts'
import type { PinnedProjectTable, ProjectStarTable, ProjectTable } from './tables/projects.ts'
import type { ProtectionTables } from './tables/protected-refs.ts'
import type { PushIntentTable } from './tables/pushes.ts'
import type { QuotaTables } from './tables/quotas.ts'
import type { ReleaseEvidenceTable, ReleaseLinkTable, ReleaseMilestoneTable, ReleaseTable } from './tables/releases.ts'
import type { FetchCountTable, RepositoryFactTable } from './tables/repository-facts.ts'
import type { AppearanceTable, SettingTable } from './tables/settings.ts'
import type { AuditEventTable } from './tables/sign-in/audit-log.ts'
import type { OAuthTables } from './tables/sign-in/oauth.ts'
import type { SecondFactorTables } from './tables/sign-in/second-factors.ts'
import type {
  AccountTokenTable,
  KnownNetworkTable,
  RequestCountTable,
  SessionTable,
  SignInFailureTable,
} from './tables/sign-in/sessions.ts'
import type { SnippetCommentTable, SnippetFileTable, SnippetTable } from './tables/snippets.ts'
import type { ProjectTopicTable, TopicTable } from './tables/topics.ts'
import type { TransferProgressTable } from './tables/transfer-progress.ts'
import type {
  EmailTable,
  IdentityTable,
  MailContentTable,
  MailTable,
  NotificationSettingTable,
  ReceivedMailTable,
  UserRelationTables,
  UserStatusTable,
  UserTable,
} from './tables/users.ts'
import type { WikiTable } from './tables/wikis.ts'

export type * from './tables/access-tokens.ts'
export type * from './tables/approvals.ts'
export type * from './tables/backups.ts'
export type * from './tables/badges.ts'
export type * from './tables/broadcast-messages.ts'
export type * from './tables/ci/ci-deployments.ts'
export type * from './tables/ci/ci-jobs.ts'
export type * from './tables/ci/ci-protected-environments.ts'
export type * from './tables/ci/ci-runners.ts'
export type * from './tables/ci/ci-starts.ts'
export type * from './tables/ci/delivery.ts'
export type * from './tables/code-index.ts'
export type * from './tables/columns.ts'
export type * from './tables/custom-attributes.ts'
export type * from './tables/events.ts'
export type * from './tables/exports.ts'
export type * from './tables/hooks.ts'
export type * from './tables/integrations.ts'
export type * from './tables/issues.ts'
export type * from './tables/jobs.ts'
export type * from './tables/keys.ts'
export type * from './tables/labels.ts'
export type * from './tables/lfs.ts'
export type * from './tables/members.ts'
export type * from './tables/merge-requests.ts'
export type * from './tables/merge-trains.ts'
export type * from './tables/mirrors.ts'
export type * from './tables/namespaces.ts'
export type * from './tables/notes.ts'
export type * from './tables/objects.ts'
export type * from './tables/operations.ts'
export type * from './tables/pipelines.ts'
export type * from './tables/projects.ts'
export type * from './tables/protected-refs.ts'
export type * from './tables/pushes.ts'
export type * from './tables/quotas.ts'
export type * from './tables/releases.ts'
export type * from './tables/repository-facts.ts'
export type * from './tables/settings.ts'
export type * from './tables/sign-in/audit-log.ts'
export type * from './tables/sign-in/oauth.ts'
export type * from './tables/sign-in/second-factors.ts'
export type * from './tables/sign-in/sessions.ts'
export type * from './tables/snippets.ts'
export type * from './tables/topics.ts'
export type * from './tables/transfer-progress.ts'
export type * from './tables/users.ts'
export type * from './tables/wikis.ts'

export interface Tables
  extends ApprovalTables,
    DeliveryTables,
    MergeRequestTables,
    MergeTrainTables,
    OAuthTables,
    ProtectedEnvironmentTables,
    ProtectionTables,
    QuotaTables,
    SecondFactorTables,
    UserRelationTables {
  users: UserTable
  identities: IdentityTable
  access_tokens: AccessTokenTable
  account_tokens: AccountTokenTable
  deploy_tokens: DeployTokenTable
  namespaces: NamespaceTable
  namespace_ancestors: NamespaceAncestorTable
  routes: RouteTable
  redirects: RedirectTable
  projects: ProjectTable
  invitations: InvitationTable
  mail_contents: MailContentTable
  mails: MailTable
  received_mails: ReceivedMailTable
  members: MemberTable
  notification_settings: NotificationSettingTable
  topics: TopicTable
  project_topics: ProjectTopicTable
  jobs: JobTable
  push_intents: PushIntentTable
  wikis: WikiTable
  events: EventTable
  releases: ReleaseTable
  release_evidences: ReleaseEvidenceTable
  release_links: ReleaseLinkTable
  release_milestones: ReleaseMilestoneTable
  pipelines: PipelineTable
  commit_statuses: CommitStatusTable
  ci_pipeline_variables: PipelineVariableTable
  ci_downstream_pipelines: DownstreamPipelineTable
  ci_jobs: CiJobTable
  ci_queue: CiQueueTable
  ci_traces: CiTraceTable
  ci_trace_chunks: CiTraceChunkTable
  ci_artifacts: CiArtifactTable
  ci_runners: CiRunnerTable
  ci_runner_projects: CiRunnerProjectTable
  ci_runner_managers: CiRunnerManagerTable
  ci_variables: CiVariableTable
  ci_triggers: CiTriggerTable
  ci_schedules: CiScheduleTable
  ci_schedule_variables: CiScheduleVariableTable
  ci_environments: CiEnvironmentTable
  ci_deployments: CiDeploymentTable
  ci_resource_groups: CiResourceGroupTable
  ci_freeze_periods: CiFreezePeriodTable
  ci_job_token_projects: CiJobTokenProjectTable
  ci_job_token_groups: CiJobTokenGroupTable
  hooks: HookTable
  push_mirrors: PushMirrorTable
  pull_mirrors: PullMirrorTable
  integrations: IntegrationTable
  chat_names: ChatNameTable
  hook_payloads: HookPayloadTable
  hook_deliveries: HookDeliveryTable
  hook_delivery_counts: HookDeliveryCountTable
  repository_facts: RepositoryFactTable
  fetch_counts: FetchCountTable
  code_segments: CodeSegmentTable
  code_parts: CodePartTable
  code_projects: CodeProjectTable
  settings: SettingTable
  appearance: AppearanceTable
  ssh_keys: SshKeyTable
  deploy_key_projects: DeployKeyProjectTable
  unreferenced_objects: UnreferencedObjectTable
  lfs_objects: LfsObjectTable
  lfs_links: LfsLinkTable
  lfs_locks: LfsLockTable
  lfs_tokens: LfsTokenTable
  emails: EmailTable
  user_statuses: UserStatusTable
  gpg_keys: GpgKeyTable
  custom_attributes: CustomAttributeTable
  sessions: SessionTable
  sign_in_failures: SignInFailureTable
  known_networks: KnownNetworkTable
  request_counts: RequestCountTable
  audit_events: AuditEventTable
  pinned_projects: PinnedProjectTable
  project_stars: ProjectStarTable
  group_shares: GroupShareTable
  access_requests: AccessRequestTable
  badges: BadgeTable
  uploads: UploadTable
  broadcast_messages: BroadcastMessageTable
  project_exports: ProjectExportTable
  group_exports: GroupExportTable
  project_imports: ProjectImportTable
  backups: BackupTable
  features: FeatureTable
  feature_gates: FeatureGateTable
  queue_workers: QueueWorkerTable
  queue_totals: QueueTotalTable
  storage_failures: StorageFailureTable
  transfer_progress: TransferProgressTable
  internal_ids: InternalIdTable
  issue_assignees: IssueAssigneeTable
  issue_labels: IssueLabelTable
  issue_links: IssueLinkTable
  issue_counts: IssueCountTable
  issue_mentions: IssueMentionTable
  issues: IssueTable
  label_events: LabelEventTable
  milestone_events: MilestoneEventTable
  state_events: StateEventTable
  subscriptions: SubscriptionTable
  time_logs: TimeLogTable
  user_agent_details: UserAgentDetailTable
  label_priorities: LabelPriorityTable
  labels: LabelTable
  milestones: MilestoneTable
  award_emoji: AwardEmojiTable
  board_lists: BoardListTable
  boards: BoardTable
  notes: NoteTable
  snippet_comments: SnippetCommentTable
  snippet_files: SnippetFileTable
  snippets: SnippetTable
  todos: TodoTable
}
