/** The payloads of system hooks, and of members and subgroups. */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { maybeText, shape } from './parts.schema.ts'

const text = Type.String()
const number = Type.Integer()
const dates = { created_at: Instant, updated_at: Instant }
const visibility = oneOf('private', 'internal', 'public')
const user = { user_id: number, user_name: text, user_username: text, user_email: text }

export const ProjectPayload = shape({
  event_name: oneOf('project_create', 'project_destroy', 'project_rename', 'project_transfer', 'project_update'),
  ...dates,
  name: text,
  path: text,
  path_with_namespace: text,
  project_id: number,
  owner_name: text,
  owner_email: text,
  project_visibility: visibility,
  old_path_with_namespace: Type.Optional(text),
})

export const GroupPayload = shape({
  event_name: oneOf('group_create', 'group_destroy', 'group_rename'),
  ...dates,
  name: text,
  path: text,
  full_path: text,
  group_id: number,
  owner_name: Type.Null(),
  owner_email: Type.Null(),
  old_path: Type.Optional(text),
  old_full_path: Type.Optional(text),
})

export const UserPayload = shape({
  event_name: oneOf('user_create', 'user_destroy', 'user_rename', 'user_failed_login'),
  ...dates,
  name: text,
  email: text,
  user_id: number,
  username: text,
  old_username: Type.Optional(text),
  state: Type.Optional(oneOf('active', 'blocked')),
})

export const KeyPayload = shape({ event_name: oneOf('key_create', 'key_destroy'), ...dates, username: text, key: text, id: number })

export const ProjectMemberPayload = shape({
  event_name: oneOf('user_add_to_team', 'user_update_for_team', 'user_remove_from_team'),
  ...dates,
  project_access: text,
  access_level: text,
  project_id: number,
  project_name: text,
  project_path: text,
  project_path_with_namespace: text,
  project_visibility: visibility,
  ...user,
})

const groupMember = {
  event_name: oneOf('user_add_to_group', 'user_update_for_group', 'user_remove_from_group'),
  ...dates,
  group_access: text,
  group_id: number,
  group_name: text,
  group_path: text,
  ...user,
}

export const GroupMemberSystemPayload = shape(groupMember)

/** Payload of hooks of groups. */
export const GroupMemberPayload = shape({ ...groupMember, group_plan: maybeText, expires_at: nullable(Day) })

export const SubgroupPayload = shape({
  event_name: oneOf('subgroup_create', 'subgroup_destroy'),
  ...dates,
  name: text,
  path: text,
  full_path: text,
  group_id: number,
  parent_group_id: number,
  parent_name: text,
  parent_path: text,
  parent_full_path: text,
})
