/** Payloads of system hooks, and of members and subgroups: built immediately, since the rows may be deleted when they are sent. */

import { accessLevels } from '../../../access/levels.ts'
import { userById } from '../../../access/users.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { groupRow, type MemberPlace, membershipOf, projectRow } from './system.queries.ts'
import type {
  GroupMemberPayload,
  GroupMemberSystemPayload,
  GroupPayload,
  KeyPayload,
  ProjectMemberPayload,
  ProjectPayload,
  SubgroupPayload,
  UserPayload,
} from './system.schema.ts'

export interface Membership {
  access_level: number
  expires_at: string | null
  created_at: string
}

type ProjectEvent = Presented<typeof ProjectPayload>['event_name']

/** Null where the project is gone. */
export async function projectEvent(
  db: Db,
  event_name: ProjectEvent,
  project_id: number,
  old_path_with_namespace?: string,
): Promise<Presented<typeof ProjectPayload> | null> {
  const project = await projectRow(db, project_id)
  return (
    project && {
      event_name,
      created_at: project.created_at,
      updated_at: project.updated_at,
      name: project.name,
      path: project.path,
      path_with_namespace: project.full_path,
      project_id: project.id,
      owner_name: project.owner_name ?? project.namespace_name,
      owner_email: project.owner_email ?? '',
      project_visibility: project.visibility,
      old_path_with_namespace,
    }
  )
}

/** Null where the group is gone. */
export async function groupEvent(
  db: Db,
  event_name: Presented<typeof GroupPayload>['event_name'],
  group_id: number,
  old: { old_path?: string; old_full_path?: string } = {},
): Promise<Presented<typeof GroupPayload> | null> {
  const group = await groupRow(db, group_id)
  return (
    group && {
      event_name,
      created_at: group.created_at,
      updated_at: group.updated_at,
      name: group.name,
      path: group.path,
      full_path: group.full_path,
      group_id: group.id,
      // As in the reference: a group has no single owner.
      owner_name: null,
      owner_email: null,
      old_path: old.old_path,
      old_full_path: old.old_full_path,
    }
  )
}

/** For hooks of the groups above. Null at the top level. */
export async function subgroupEvent(
  db: Db,
  event_name: Presented<typeof SubgroupPayload>['event_name'],
  group_id: number,
): Promise<Presented<typeof SubgroupPayload> | null> {
  const group = await groupRow(db, group_id)
  const parent = group?.parent_id ? await groupRow(db, group.parent_id) : null
  if (!group || !parent) return null
  return {
    event_name,
    created_at: group.created_at,
    updated_at: group.updated_at,
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    group_id: group.id,
    parent_group_id: parent.id,
    parent_name: parent.name,
    parent_path: parent.path,
    parent_full_path: parent.full_path,
  }
}

export function userEvent(
  event_name: Presented<typeof UserPayload>['event_name'],
  user: User,
  more: { old_username?: string; state?: User['state'] } = {},
): Presented<typeof UserPayload> {
  const { created_at, updated_at, name, email, id, username } = user
  const { old_username, state } = more
  return { event_name, created_at, updated_at, name, email, user_id: id, username, old_username, state }
}

/** Null where its user is gone. */
export async function keyEvent(
  db: Db,
  event_name: Presented<typeof KeyPayload>['event_name'],
  key: SshKey,
): Promise<Presented<typeof KeyPayload> | null> {
  const user = key.user_id === null ? null : await userById(db, key.user_id)
  if (!user) return null
  const text = [key.type, key.blob, key.comment].filter(Boolean).join(' ')
  return { event_name, created_at: key.created_at, updated_at: key.created_at, username: user.username, key: text, id: key.id }
}

export type MemberChange = 'added' | 'changed' | 'removed'

const names = {
  project: { added: 'user_add_to_team', changed: 'user_update_for_team', removed: 'user_remove_from_team' },
  group: { added: 'user_add_to_group', changed: 'user_update_for_group', removed: 'user_remove_from_group' },
} as const

const levelNames = new Map<number, string>(
  Object.entries(accessLevels).map(([name, level]) => [level, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
)

/** For hooks of the instance. Null if the place or the user was deleted. @param was the former membership of a removed member */
export async function memberEvent(
  db: Db,
  change: MemberChange,
  place: MemberPlace,
  user_id: number,
  was: Membership | null,
): Promise<Presented<typeof ProjectMemberPayload> | Presented<typeof GroupMemberSystemPayload> | null> {
  const [user, membership] = [await userById(db, user_id), was ?? (await membershipOf(db, place, user_id))]
  if (!user || !membership) return null
  const level = levelNames.get(membership.access_level) ?? ''
  const dates = { created_at: membership.created_at, updated_at: now() }
  const { username: user_username, name: user_name, email: user_email } = user
  if ('namespace_id' in place) {
    const group = await groupRow(db, place.namespace_id)
    if (!group) return null
    return {
      event_name: names.group[change],
      ...dates,
      group_access: level,
      group_id: group.id,
      group_name: group.name,
      group_path: group.path,
      user_email,
      user_name,
      user_username,
      user_id,
    }
  }
  const project = await projectRow(db, place.project_id)
  if (!project) return null
  return {
    event_name: names.project[change],
    ...dates,
    project_access: level,
    access_level: level,
    project_id: project.id,
    project_name: project.name,
    project_path: project.path,
    project_path_with_namespace: project.full_path,
    project_visibility: project.visibility,
    user_email,
    user_name,
    user_username,
    user_id,
  }
}

/** For hooks of the group and those above it, whose owners need not know the email address. */
export async function groupMemberEvent(
  db: Db,
  change: MemberChange,
  namespace_id: number,
  user_id: number,
  was: Membership | null,
): Promise<Presented<typeof GroupMemberPayload> | null> {
  const found = await memberEvent(db, change, { namespace_id }, user_id, was)
  if (!found || !('group_id' in found)) return null
  const expires_at = (was ?? (await membershipOf(db, { namespace_id }, user_id)))?.expires_at ?? null
  return { ...found, user_email: '[REDACTED]', group_plan: null, expires_at }
}
