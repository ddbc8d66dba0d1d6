/** The payload of each event, keyed by `object_kind`, or by `event_name` if there is no kind. */
import type { TSchema } from 'typebox'
import { DeploymentPayload, JobPayload, PipelinePayload } from './ci.schema.ts'
import { IssuePayload, MergeRequestPayload } from './issuables.schema.ts'
import { NotePayload } from './notes.schema.ts'
import { PushPayload, ReleasePayload, RepositoryUpdatePayload, WikiPagePayload } from './repository.schema.ts'
import {
  GroupMemberPayload,
  GroupMemberSystemPayload,
  GroupPayload,
  KeyPayload,
  ProjectMemberPayload,
  ProjectPayload,
  SubgroupPayload,
  UserPayload,
} from './system.schema.ts'

/** Payloads of hooks of projects and groups. */
export const hookPayloads: Record<string, TSchema> = {
  push: PushPayload,
  tag_push: PushPayload,
  issue: IssuePayload,
  note: NotePayload,
  merge_request: MergeRequestPayload,
  build: JobPayload,
  pipeline: PipelinePayload,
  deployment: DeploymentPayload,
  release: ReleasePayload,
  wiki_page: WikiPagePayload,
  user_add_to_group: GroupMemberPayload,
  user_update_for_group: GroupMemberPayload,
  user_remove_from_group: GroupMemberPayload,
  subgroup_create: SubgroupPayload,
  subgroup_destroy: SubgroupPayload,
}

/** Payloads of hooks of the instance. */
export const systemPayloads: Record<string, TSchema> = {
  push: PushPayload,
  tag_push: PushPayload,
  merge_request: MergeRequestPayload,
  repository_update: RepositoryUpdatePayload,
  project_create: ProjectPayload,
  project_destroy: ProjectPayload,
  project_rename: ProjectPayload,
  project_transfer: ProjectPayload,
  project_update: ProjectPayload,
  user_add_to_team: ProjectMemberPayload,
  user_update_for_team: ProjectMemberPayload,
  user_remove_from_team: ProjectMemberPayload,
  user_add_to_group: GroupMemberSystemPayload,
  user_update_for_group: GroupMemberSystemPayload,
  user_remove_from_group: GroupMemberSystemPayload,
  user_create: UserPayload,
  user_destroy: UserPayload,
  user_rename: UserPayload,
  user_failed_login: UserPayload,
  key_create: KeyPayload,
  key_destroy: KeyPayload,
  group_create: GroupPayload,
  group_destroy: GroupPayload,
  group_rename: GroupPayload,
}
