/** Merge requests as JSON. */
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import { distinctIds } from '../../../db/rows.ts'
import type { Label, MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Pipeline } from '../../ci/pipelines/pipelines.schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { countTasks, labelsOf, peopleOf, presentTimeStats } from '../../planning/issuables/issuables.ts'
import { presentLabelBrief } from '../../planning/labels/labels.ts'
import { milestonesByIds, type PlacedMilestone, presentMilestone } from '../../planning/milestones/milestones.ts'
import { detailedStatusOf, type MergeStatus, type TargetSettings } from './detailed-status.ts'
import { targetsByIds, withOpenDiscussions } from './merge-requests.queries.ts'
import type { MergeRequest as MergeRequestSchema, MergeRequestSimple } from './merge-requests.schema.ts'
import { paramsOf } from './waiting-merges.ts'

/** A merge request with everything that is displayed besides its row. */
export interface DescribedMergeRequest {
  merge_request: MergeRequest
  target: TargetSettings
  author: UserInBrief
  merged_by: UserInBrief | null
  merge_user: UserInBrief | null
  closed_by: UserInBrief | null
  assignees: UserInBrief[]
  reviewers: UserInBrief[]
  /** By title. */
  labels: Label[]
  milestone: PlacedMilestone | null
  /** Whether there are unresolved discussions. */
  hasOpenDiscussions: boolean
}

/** Each merge request with everything that is displayed: seven statements, regardless of their number, and no git. */
export async function describeMergeRequests(db: Db, rows: MergeRequest[]): Promise<DescribedMergeRequest[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const userIds = rows.flatMap(({ author_id, merged_by_id, merge_user_id, closed_by_id }) => [
    author_id,
    merged_by_id,
    merge_user_id,
    closed_by_id,
  ])
  const [assignees, reviewers, labels, milestones, users, targets, discussed] = await Promise.all([
    peopleOf(db, 'merge_request_assignees', ids),
    peopleOf(db, 'merge_request_reviewers', ids),
    labelsOf(db, 'merge_request_labels', ids),
    milestonesByIds(db, distinctIds(rows.map(({ milestone_id }) => milestone_id))),
    usersInBrief(db, distinctIds(userIds)),
    targetsByIds(db, distinctIds(rows.map(({ project_id }) => project_id))),
    withOpenDiscussions(db, ids),
  ])
  const milestonesById = new Map(milestones.map((milestone) => [milestone.id, milestone]))
  return rows.map((merge_request) => ({
    merge_request,
    target: targets.get(merge_request.project_id) as TargetSettings,
    author: users.get(merge_request.author_id) as UserInBrief,
    merged_by: users.get(merge_request.merged_by_id ?? 0) ?? null,
    merge_user: users.get(merge_request.merge_user_id ?? 0) ?? null,
    closed_by: users.get(merge_request.closed_by_id ?? 0) ?? null,
    assignees: assignees.get(merge_request.id) ?? [],
    reviewers: reviewers.get(merge_request.id) ?? [],
    labels: labels.get(merge_request.id) ?? [],
    milestone: milestonesById.get(merge_request.milestone_id ?? 0) ?? null,
    hasOpenDiscussions: discussed.has(merge_request.id),
  }))
}

/** Fields of a single merge request that lists don't have. */
export interface SingleForm {
  subscribed: boolean
  can_merge: boolean
  first_contribution: boolean
  version: MergeRequestVersion | null
  /** The newest pipeline of its tip. */
  head_pipeline: Presented<typeof Pipeline> | null
  rebase_in_progress?: boolean | undefined
  diverged_commits_count?: number | undefined
  title_html?: string | undefined
  description_html?: string | undefined
}

export interface MergeRequestForm {
  /** Returns labels as objects instead of titles. */
  labelDetails?: boolean | undefined
  /** The project in which references may be short; null in lists across projects. */
  within?: number | null | undefined
  /** Whether it can be merged, if that was determined; otherwise the stored status is used. */
  status?: MergeStatus | undefined
  single?: SingleForm | undefined
  /** Fields that the target of a todo has, but lists don't. */
  target?: Pick<SingleForm, 'subscribed' | 'version'> | undefined
}

export function presentMergeRequest(
  config: Config,
  described: DescribedMergeRequest,
  form: MergeRequestForm = {},
): Presented<typeof MergeRequestSchema> {
  const { merge_request: row, target, milestone, hasOpenDiscussions } = described
  const { status = { merge_status: row.merge_status, detailed_merge_status: detailedStatusOf(described) }, single } = form
  const brief = (user: UserInBrief | null) => user && presentUserBrief(config, user)
  const merged_by = brief(described.merged_by)
  const collaboration = row.source_project_id === row.project_id ? undefined : row.allow_collaboration
  const short = `!${row.iid}`
  const shown = {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    merged_by,
    merge_user: merged_by ?? brief(described.merge_user),
    merged_at: row.merged_at,
    closed_by: brief(described.closed_by),
    closed_at: row.closed_at,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    user_notes_count: row.user_notes_count,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    author: presentUserBrief(config, described.author),
    assignees: described.assignees.map((user) => presentUserBrief(config, user)),
    assignee: brief(described.assignees[0] ?? null),
    reviewers: described.reviewers.map((user) => presentUserBrief(config, user)),
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    labels: form.labelDetails ? described.labels.map(presentLabelBrief) : described.labels.map(({ title }) => title),
    draft: row.draft,
    work_in_progress: row.draft,
    milestone: milestone && presentMilestone(config, milestone),
    merge_when_pipeline_succeeds: row.merge_when_pipeline_succeeds,
    merge_status: status.merge_status,
    detailed_merge_status: status.detailed_merge_status,
    sha: row.head_oid,
    merge_commit_sha: row.merge_commit_oid,
    squash_commit_sha: row.squash_commit_oid,
    discussion_locked: row.discussion_locked,
    should_remove_source_branch: paramsOf(row).should_remove_source_branch ?? null,
    force_remove_source_branch: row.force_remove_source_branch,
    prepared_at: row.created_at,
    allow_collaboration: collaboration,
    allow_maintainer_to_push: collaboration,
    reference: short,
    references: referencesOf(target, short, form.within === row.project_id),
    web_url: pageUrl(config, mergeRequestAddress(target, row.iid)),
    time_stats: presentTimeStats(row),
    squash: row.squash,
    squash_on_merge: isSquashed(row, target),
    task_completion_status: countTasks(row.description),
    has_conflicts: status.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: !hasOpenDiscussions,
  }
  if (form.target) return Object.assign(shown, presentDiff(row, form.target))
  return single ? Object.assign(shown, presentDiff(row, single), presentSingle(single)) : shown
}

function presentDiff({ merge_error }: MergeRequest, { subscribed, version }: Pick<SingleForm, 'subscribed' | 'version'>) {
  return {
    subscribed,
    changes_count: version?.real_size ?? null,
    diff_refs: version && { base_sha: version.base_oid, head_sha: version.head_oid, start_sha: version.start_oid },
    merge_error,
  }
}

/** Deployments are not looked up. */
function presentSingle({ head_pipeline, can_merge, ...single }: SingleForm) {
  const { title_html, description_html, rebase_in_progress, diverged_commits_count, first_contribution } = single
  return {
    title_html,
    description_html,
    latest_build_started_at: head_pipeline?.started_at ?? null,
    latest_build_finished_at: head_pipeline?.finished_at ?? null,
    first_deployed_to_production_at: null,
    pipeline: head_pipeline && presentPipelineBrief(head_pipeline),
    head_pipeline,
    rebase_in_progress,
    diverged_commits_count,
    first_contribution,
    user: { can_merge },
  }
}

function presentPipelineBrief({ id, ref, sha, status, web_url }: Presented<typeof Pipeline>) {
  return { id, ref, sha, status, web_url }
}

function referencesOf({ full_path }: TargetSettings, short: string, isWithin: boolean) {
  return { short, relative: isWithin ? short : `${full_path}${short}`, full: `${full_path}${short}` }
}

function isSquashed({ squash }: MergeRequest, { squash_option }: TargetSettings): boolean {
  return squash_option === 'always' || (squash_option !== 'never' && squash)
}

/** A page of a list, as JSON. */
export async function presentMergeRequests(
  app: App,
  rows: MergeRequest[],
  form: MergeRequestForm,
): Promise<Array<Presented<typeof MergeRequestSchema>>> {
  return (await describeMergeRequests(app.db, rows)).map((described) => presentMergeRequest(app.config, described, form))
}

/** As `presentMergeRequests`, in the short form: one statement. */
export async function presentMergeRequestsSimply(app: App, rows: MergeRequest[]): Promise<Array<Presented<typeof MergeRequestSimple>>> {
  const targets = await targetsByIds(app.db, distinctIds(rows.map(({ project_id }) => project_id)))
  return rows.map((row) => ({
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    web_url: pageUrl(app.config, mergeRequestAddress({ full_path: targets.get(row.project_id)?.full_path ?? '' }, row.iid)),
  }))
}
