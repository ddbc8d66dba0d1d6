/** The payload of merge requests. */
import type { LocatedProject } from '../../../access/find.ts'
import { pageUrl, projectUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { humanDuration } from '../../planning/issuables/issuables.ts'
import { headPipelineOf } from '../../review/mergeability/mergeability.ts'
import { differencesOf } from './differences.ts'
import type { MergeRequestFacts, Related } from './facts.ts'
import type { MergeRequestAttributes, MergeRequestPayload } from './issuables.schema.ts'
import { relatedChanges } from './issue.ts'
import { labelsByIds } from './parts.queries.ts'
import { commitOf, payloadCommit, payloadLabel, peopleOf, projectOf, settingOf, withAbsoluteImages } from './parts.ts'
import { payloadProject, payloadRepositoryBrief } from './project.ts'

const told = [
  'author_id',
  'created_at',
  'description',
  'draft',
  'id',
  'iid',
  'last_edited_at',
  'last_edited_by_id',
  'merge_error',
  'merge_status',
  'merge_user_id',
  'merge_when_pipeline_succeeds',
  'milestone_id',
  'source_branch',
  'source_project_id',
  'state',
  'target_branch',
  'time_estimate',
  'title',
  'total_time_spent',
  'updated_at',
] as const

export async function mergeRequestPayload(app: App, facts: MergeRequestFacts): Promise<Presented<typeof MergeRequestPayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { row, before, action, oldrev } = facts
  const assignees = await peopleOf(app, facts.assignee_ids)
  const attributes = await mergeRequestAttributes(app, setting.project, facts)
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: setting.user,
    project: setting.shown,
    object_attributes: oldrev === null ? { ...attributes, action } : { ...attributes, action, oldrev },
    labels: (await labelsByIds(app.db, facts.label_ids)).map(payloadLabel),
    changes: { ...differencesOf(told, before, row), ...(await relatedChanges(app, facts)) },
    repository: payloadRepositoryBrief(setting.shown),
    assignee: assignees[0],
    assignees,
    reviewers: await peopleOf(app, facts.reviewer_ids),
  }
}

/** Payloads of notes contain these, too. */
export async function mergeRequestAttributes(
  app: App,
  project: LocatedProject,
  { row, assignee_ids, reviewer_ids, user_id }: Related & Pick<MergeRequestFacts, 'row' | 'user_id' | 'reviewer_ids'>,
): Promise<Presented<typeof MergeRequestAttributes>> {
  const { config } = app
  const source = await sourceOf(app, project, row)
  const commit = source && ((await commitOf(app, source, row.head_oid)) ?? (await commitOf(app, project, row.head_oid)))
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: withAbsoluteImages(row.description, projectUrl(config, project)),
    state: row.state,
    draft: row.draft,
    work_in_progress: row.draft,
    author_id: row.author_id,
    assignee_id: assignee_ids[0] ?? null,
    assignee_ids,
    reviewer_ids,
    milestone_id: row.milestone_id,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_branch: row.target_branch,
    target_project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    updated_by_id: user_id,
    last_edited_at: row.last_edited_at,
    last_edited_by_id: row.last_edited_by_id,
    head_pipeline_id: row.head_oid === null ? null : ((await headPipelineOf(app.db, row, row.head_oid))?.id ?? null),
    merge_commit_sha: row.merge_commit_oid,
    merge_error: row.merge_error,
    merge_params: { force_remove_source_branch: row.force_remove_source_branch ? '1' : '0' },
    merge_status: row.merge_status,
    merge_user_id: row.merge_user_id,
    merge_when_pipeline_succeeds: row.merge_when_pipeline_succeeds,
    position: 0,
    time_estimate: row.time_estimate,
    total_time_spent: row.total_time_spent,
    human_time_estimate: humanDuration(row.time_estimate),
    human_total_time_spent: humanDuration(row.total_time_spent),
    source: source && payloadProject(config, source),
    target: payloadProject(config, project),
    last_commit: commit && payloadCommit(config, source ?? project, commit),
    assignee: (await peopleOf(app, assignee_ids.slice(0, 1)))[0],
    url: pageUrl(config, mergeRequestAddress(project, row.iid)),
  }
}

/** Null if the fork is gone. */
async function sourceOf(app: App, project: LocatedProject, { source_project_id }: MergeRequest): Promise<LocatedProject | null> {
  if (source_project_id === project.id) return project
  return source_project_id === null ? null : projectOf(app, source_project_id)
}
