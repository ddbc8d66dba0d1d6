/** Merge requests as JSON (spec 2.6), with what later versions of this API add. */

import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Pipeline } from '../../ci/pipelines/pipelines.schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { TimeStats } from '../../planning/issuables/issuables.schema.ts'
import { LabelBrief } from '../../planning/labels/labels.schema.ts'
import { Milestone } from '../../planning/milestones/milestones.schema.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const flag = Type.Boolean()
const optional = Type.Optional
const states = ['opened', 'closed', 'locked', 'merged'] as const

const short = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: text,
  description: nullable(text),
  state: oneOf(...states),
  created_at: Instant,
  updated_at: Instant,
}

/** Items of lists with `view=simple`. */
export const MergeRequestSimple = resource('MergeRequestSimple', { ...short, web_url: text })

const PipelineBrief = Type.Object({ id: Type.Integer(), ref: text, sha: text, status: text, web_url: text })

/** Fields of a single one that lists don't have. */
const ofOne = {
  title_html: optional(Type.String({ description: 'With render_html' })),
  description_html: optional(Type.String({ description: 'With render_html' })),
  subscribed: optional(flag),
  changes_count: optional(nullable(Type.String({ description: 'Changed files: a number as a string, `1000+` beyond a thousand' }))),
  latest_build_started_at: optional(nullable(Instant)),
  latest_build_finished_at: optional(nullable(Instant)),
  first_deployed_to_production_at: optional(nullable(Instant)),
  pipeline: optional(nullable(PipelineBrief)),
  head_pipeline: optional(nullable(Pipeline)),
  diff_refs: optional(nullable(Type.Object({ base_sha: nullable(text), head_sha: text, start_sha: text }))),
  merge_error: optional(nullable(text)),
  rebase_in_progress: optional(Type.Boolean({ description: 'With include_rebase_in_progress' })),
  diverged_commits_count: optional(Type.Integer({ description: 'With include_diverged_commits_count: commits behind the target branch' })),
  first_contribution: optional(flag),
  user: optional(Type.Object({ can_merge: flag })),
}

const full = {
  ...short,
  merged_by: nullable(UserBrief),
  merge_user: nullable(UserBrief),
  merged_at: nullable(Instant),
  closed_by: nullable(UserBrief),
  closed_at: nullable(Instant),
  target_branch: text,
  source_branch: text,
  user_notes_count: count,
  upvotes: count,
  downvotes: count,
  author: UserBrief,
  assignees: Type.Array(UserBrief),
  assignee: nullable(UserBrief),
  reviewers: Type.Array(UserBrief),
  source_project_id: nullable(Type.Integer({ description: 'Null once the fork is deleted' })),
  target_project_id: Type.Integer(),
  labels: Type.Array(Type.Union([text, LabelBrief]), { description: 'Titles; objects with with_labels_details' }),
  draft: flag,
  work_in_progress: flag,
  milestone: nullable(Milestone),
  merge_when_pipeline_succeeds: flag,
  merge_status: oneOf('unchecked', 'checking', 'can_be_merged', 'cannot_be_merged', 'cannot_be_merged_recheck'),
  detailed_merge_status: text,
  sha: nullable(text),
  merge_commit_sha: nullable(text),
  squash_commit_sha: nullable(text),
  discussion_locked: nullable(flag),
  should_remove_source_branch: nullable(flag),
  force_remove_source_branch: flag,
  prepared_at: Instant,
  allow_collaboration: optional(Type.Boolean({ description: 'From forks only' })),
  allow_maintainer_to_push: optional(Type.Boolean({ description: 'The old name of allow_collaboration' })),
  reference: text,
  references: Type.Object({ short: text, relative: text, full: text }),
  web_url: text,
  time_stats: TimeStats,
  squash: flag,
  squash_on_merge: flag,
  task_completion_status: Type.Object({ count, completed_count: count }),
  has_conflicts: flag,
  blocking_discussions_resolved: flag,
  ...ofOne,
}

export const MergeRequest = resource('MergeRequest', full)

/** Either form. */
export const MergeRequestAny = resource('MergeRequestSummary', {
  ...Type.Partial(Type.Object(full)).properties,
  ...MergeRequestSimple.properties,
})
