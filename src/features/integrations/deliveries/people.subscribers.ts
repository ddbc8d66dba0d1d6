/**
 * Queues webhooks for events of members and subgroups (hooks of groups), and of users, keys, groups and projects (hooks of the instance).
 */
import { userById } from '../../../access/users.ts'
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import {
  groupEvent,
  groupMemberEvent,
  groupsBelow,
  keyEvent,
  type MemberChange,
  type MemberPlace,
  type Membership,
  memberEvent,
  projectEvent,
  subgroupEvent,
  userEvent,
} from '../payloads/payloads.ts'
import { bodies, deliver, deliverToInstance } from './deliver.ts'

interface OfMember {
  place: MemberPlace
  user_id: number
  was?: Membership
}

export function deliverMember(change: MemberChange) {
  return async (tx: Tx, { place, user_id, was }: OfMember): Promise<void> => {
    if ('namespace_id' in place) {
      await deliver(tx, { place, flag: 'member_events', event: 'Member Hook' }, async () =>
        bodies(await groupMemberEvent(tx, change, place.namespace_id, user_id, was ?? null)),
      )
    }
    await deliverToInstance(tx, () => memberEvent(tx, change, place, user_id, was ?? null))
  }
}

export async function deliverExpiries(tx: Tx, { members }: EventOf<'members_expired'>): Promise<void> {
  for (const member of members) await deliverMember('removed')(tx, member)
}

export async function deliverNewGroup(tx: Tx, { group }: EventOf<'group_created'>): Promise<void> {
  await deliverToInstance(tx, () => groupEvent(tx, 'group_create', group.id))
  if (group.parent_id === null) return
  await deliver(tx, { place: { namespace_id: group.parent_id }, flag: 'subgroup_events', event: 'Subgroup Hook' }, async () =>
    bodies(await subgroupEvent(tx, 'subgroup_create', group.id)),
  )
}

/** One event for each group that is deleted with those below it. */
export async function deliverRemovedGroups(tx: Tx, { namespace_id }: EventOf<'namespace_removed'>): Promise<void> {
  const groups = await groupsBelow(tx, namespace_id)
  if (groups.length === 0) return
  await deliver(tx, { place: null, flag: null, event: 'System Hook' }, async () => {
    const made = await Promise.all(groups.map((id) => groupEvent(tx, 'group_destroy', id)))
    return made.flatMap(bodies)
  })
  // Hooks of the group itself are deleted with it.
  await deliver(tx, { place: { namespace_id }, flag: 'subgroup_events', event: 'Subgroup Hook' }, async () =>
    bodies(await subgroupEvent(tx, 'subgroup_destroy', namespace_id)),
  )
}

export function deliverRenamedGroup(tx: Tx, { group_id, before }: EventOf<'group_renamed'>): Promise<void> {
  return deliverToInstance(tx, () => groupEvent(tx, 'group_rename', group_id, { old_path: before.path, old_full_path: before.full_path }))
}

export function deliverProject(event_name: 'project_create' | 'project_destroy' | 'project_update') {
  return (tx: Tx, { project_id }: { project_id: number }): Promise<void> =>
    deliverToInstance(tx, () => projectEvent(tx, event_name, project_id))
}

export function deliverMovedProject(event_name: 'project_rename' | 'project_transfer') {
  return (tx: Tx, { project_id, before }: { project_id: number; before: string }): Promise<void> =>
    deliverToInstance(tx, () => projectEvent(tx, event_name, project_id, before))
}

export function deliverNewUser(tx: Tx, { user }: EventOf<'user_created'>): Promise<void> {
  return deliverToInstance(tx, () => userEvent('user_create', user))
}

export function deliverRenamedUser(tx: Tx, { user, before: old_username }: EventOf<'user_renamed'>): Promise<void> {
  return deliverToInstance(tx, () => userEvent('user_rename', user, { old_username }))
}

export function deliverRefusedSignIn(tx: Tx, { user }: EventOf<'sign_in_refused'>): Promise<void> {
  return deliverToInstance(tx, () => userEvent('user_failed_login', user, { state: user.state }))
}

export function deliverDeletedUser(tx: Tx, { user_id }: EventOf<'user_deleted'>): Promise<void> {
  return deliverToInstance(tx, async () => {
    const user = await userById(tx, user_id)
    return user && user.kind === 'human' ? userEvent('user_destroy', user) : null
  })
}

export function deliverKey(event_name: 'key_create' | 'key_destroy') {
  return (tx: Tx, { key }: EventOf<'key_added'> | EventOf<'key_removed'>): Promise<void> =>
    deliverToInstance(tx, () => keyEvent(tx, event_name, key))
}
