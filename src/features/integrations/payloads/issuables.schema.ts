/** The payloads of issues and merge requests. */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'
import {
  Changes,
  CommitPart,
  LabelPart,
  maybeInstant,
  maybeNumber,
  maybeText,
  ProjectPart,
  RepositoryPart,
  shape,
  UserPart,
} from './parts.schema.ts'

const text = Type.String()
const number = Type.Integer()

/** Common fields. */
const common = {
  id: number,
  iid: number,
  title: text,
  description: maybeText,
  author_id: number,
  assignee_id: maybeNumber,
  assignee_ids: Type.Array(number),
  milestone_id: maybeNumber,
  created_at: Instant,
  updated_at: Instant,
  updated_by_id: maybeNumber,
  last_edited_at: maybeInstant,
  last_edited_by_id: maybeNumber,
  position: number,
  time_estimate: number,
  total_time_spent: number,
  human_time_estimate: maybeText,
  human_total_time_spent: maybeText,
  url: text,
}

export const IssueAttributes = shape({
  ...common,
  state: oneOf('opened', 'closed'),
  confidential: Type.Boolean(),
  discussion_locked: nullable(Type.Boolean()),
  project_id: number,
  due_date: nullable(Day),
  closed_at: maybeInstant,
  moved_to_id: maybeNumber,
  relative_position: maybeNumber,
  branch_name: Type.Null(),
})

export const MergeRequestAttributes = shape({
  ...common,
  state: oneOf('opened', 'closed', 'locked', 'merged'),
  draft: Type.Boolean(),
  work_in_progress: Type.Boolean(),
  reviewer_ids: Type.Array(number),
  source_branch: text,
  source_project_id: maybeNumber,
  target_branch: text,
  target_project_id: number,
  head_pipeline_id: maybeNumber,
  merge_commit_sha: maybeText,
  merge_error: maybeText,
  merge_params: shape({ force_remove_source_branch: oneOf('0', '1') }),
  merge_status: oneOf('unchecked', 'can_be_merged', 'cannot_be_merged'),
  merge_user_id: maybeNumber,
  merge_when_pipeline_succeeds: Type.Boolean(),
  source: nullable(ProjectPart),
  target: ProjectPart,
  last_commit: nullable(CommitPart),
  assignee: Type.Optional(UserPart),
})

const around = {
  user: UserPart,
  project: ProjectPart,
  labels: Type.Array(LabelPart),
  changes: Changes,
  repository: RepositoryPart,
  assignees: Type.Array(UserPart),
  assignee: Type.Optional(UserPart),
}

export const IssuePayload = shape({
  object_kind: oneOf('issue'),
  event_type: oneOf('issue', 'confidential_issue'),
  object_attributes: shape({ ...IssueAttributes.properties, action: oneOf('open', 'update', 'close', 'reopen') }),
  ...around,
})

export const MergeRequestPayload = shape({
  object_kind: oneOf('merge_request'),
  event_type: oneOf('merge_request'),
  object_attributes: shape({
    ...MergeRequestAttributes.properties,
    action: oneOf('open', 'update', 'close', 'reopen', 'merge', 'approved', 'unapproved'),
    oldrev: Type.Optional(text),
  }),
  reviewers: Type.Array(UserPart),
  ...around,
})
