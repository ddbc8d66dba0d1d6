/** Audit log entries for users, members, groups and projects. */
import { roleOf } from '../../../access/levels.ts'
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { pathOf, usernameOf, usernamesOf } from './audit-log.queries.ts'
import { type Line, record, recordAll } from './recording.ts'

export function recordUser(tx: Tx, { user }: EventOf<'user_created'>): Promise<void> {
  const details = user.admin ? { admin: true } : {}
  return record(tx, { event_name: 'user_created', message: 'Created the user', of: { user_id: user.id }, details })
}

const userActs = {
  user_password_changed: 'Changed the password',
  user_deleted: 'Deleted the user',
} as const

export function recordUserAct(tx: Tx, { type, user_id }: EventOf<keyof typeof userActs>): Promise<void> {
  return record(tx, { event_name: type, message: userActs[type], of: { user_id } })
}

const blockings = {
  blocked: ['user_blocked', 'Blocked the user'],
  banned: ['user_banned', 'Banned the user'],
  deactivated: ['user_deactivated', 'Deactivated the user'],
  blocked_pending_approval: ['user_held_back', 'Made the user wait for approval'],
} as const

const unblockings = {
  blocked: ['user_unblocked', 'Unblocked the user'],
  banned: ['user_unbanned', 'Unbanned the user'],
  deactivated: ['user_activated', 'Activated the user'],
  blocked_pending_approval: ['user_approved', 'Approved the user'],
} as const

export function recordState(tx: Tx, event: EventOf<'user_blocked' | 'user_unblocked'>): Promise<void> {
  const [event_name, message] = event.type === 'user_blocked' ? blockings[event.state] : unblockings[event.before]
  return record(tx, { event_name, message, of: { user_id: event.user_id } })
}

export function recordRejection(tx: Tx, { user }: EventOf<'sign_up_rejected'>): Promise<void> {
  return record(tx, { event_name: 'user_rejected', message: 'Rejected the sign-up', of: { user_id: user.id } })
}

export function recordAdministrator(tx: Tx, { user_id, admin }: EventOf<'administrator_changed'>): Promise<void> {
  const message = admin ? 'Made the user an administrator' : 'Took the rights of an administrator from the user'
  return record(tx, { event_name: 'administrator_changed', message, of: { user_id }, details: changeOf('admin', !admin, admin) })
}

export function recordRenamedUser(tx: Tx, { user, before }: EventOf<'user_renamed'>): Promise<void> {
  const details = changeOf('username', before, user.username)
  return record(tx, { event_name: 'user_renamed', message: `Renamed ${before} to ${user.username}`, of: { user_id: user.id }, details })
}

export async function recordMember(
  tx: Tx,
  event: EventOf<'member_added' | 'member_changed'> | Pick<EventOf<'member_removed'>, 'type' | 'place' | 'user_id' | 'was'>,
): Promise<void> {
  const name = await usernameOf(tx, event.user_id)
  await record(tx, {
    ...memberActOf(event, name),
    event_name: event.type,
    of: event.place,
    target: { type: 'User', id: event.user_id, name },
  })
}

type MemberAct = Parameters<typeof recordMember>[1]

function memberActOf(event: MemberAct, name: string): Pick<Line, 'message' | 'details'> {
  switch (event.type) {
    case 'member_added': {
      const as = roleOf(event.access_level)
      return { message: `Added ${name} as ${as}`, details: { add: 'user_access', as, expires_at: event.expires_at } }
    }
    case 'member_changed': {
      const { before, access_level, expires_at } = event
      const [from, to] = [roleOf(before.access_level), roleOf(access_level)]
      const expiries = before.expires_at === expires_at ? {} : { expires_from: before.expires_at, expires_to: expires_at }
      return {
        message: `Changed the access of ${name} from ${from} to ${to}`,
        details: { ...changeOf('access_level', from, to), ...expiries },
      }
    }
    case 'member_removed':
      return { message: `Removed ${name}`, details: { remove: 'user_access', as: roleOf(event.was.access_level) } }
  }
}

const invitationActs = {
  invitation_sent: ['Invited', 'add'],
  invitation_changed: ['Changed the invitation of', 'change'],
  invitation_removed: ['Removed the invitation of', 'remove'],
} as const

export function recordInvitation(tx: Tx, event: EventOf<keyof typeof invitationActs>): Promise<void> {
  const [act, detail] = invitationActs[event.type]
  const as = roleOf(event.access_level)
  return record(tx, {
    event_name: event.type,
    message: `${act} ${event.email} as ${as}`,
    of: event.place,
    target: { type: 'Invitation', id: event.invitation_id, name: event.email },
    details: { [detail]: 'invitation', as, expires_at: event.expires_at },
  })
}

export async function recordExpiredMembers(tx: Tx, { members }: EventOf<'members_expired'>): Promise<void> {
  const names = await usernamesOf(
    tx,
    members.map(({ user_id }) => user_id),
  )
  const lineOf = ({ place, user_id }: (typeof members)[number]): Line => {
    const name = names.get(user_id) as string
    const target = { type: 'User', id: user_id, name }
    return { event_name: 'member_expired', message: `The membership of ${name} ended`, of: place, target }
  }
  await recordAll(tx, members.map(lineOf))
}

export async function recordNewProject(tx: Tx, { project_id, creator_id }: EventOf<'project_created'>): Promise<void> {
  const author = { id: creator_id, username: await usernameOf(tx, creator_id) }
  await record(tx, { event_name: 'project_created', message: 'Created the project', of: { project_id }, author })
}

export function recordRemovedProject(tx: Tx, { project_id }: EventOf<'project_removed'>): Promise<void> {
  return record(tx, { event_name: 'project_removed', message: 'Deleted the project', of: { project_id } })
}

export function recordMovedProject(
  tx: Tx,
  { type, project_id, before, after }: EventOf<'project_renamed' | 'project_transferred'>,
): Promise<void> {
  const details = changeOf('path', before, after)
  return record(tx, { event_name: type, message: `Moved the project from ${before} to ${after}`, of: { project_id }, details })
}

export function recordVisibility(tx: Tx, { project_id, before, after }: EventOf<'project_visibility_changed'>): Promise<void> {
  const message = `Changed visibility from ${before} to ${after}`
  return record(tx, {
    event_name: 'project_visibility_changed',
    message,
    of: { project_id },
    details: changeOf('visibility', before, after),
  })
}

export async function recordNarrowedForks(tx: Tx, { source_id, fork_ids, visibility }: EventOf<'forks_narrowed'>): Promise<void> {
  const source = await pathOf(tx, 'project_id', source_id)
  const line = {
    event_name: 'project_visibility_changed',
    message: `Became ${visibility} with ${source}, of which it is a fork`,
    details: { change: 'visibility', to: visibility },
  }
  await recordAll(
    tx,
    fork_ids.map((project_id) => ({ ...line, of: { project_id } })),
  )
}

export function recordGroupVisibility(tx: Tx, { group_id, before, after }: EventOf<'group_visibility_changed'>): Promise<void> {
  const message = `Changed visibility from ${before} to ${after}`
  const details = changeOf('visibility', before, after)
  return record(tx, { event_name: 'group_visibility_changed', message, of: { namespace_id: group_id }, details })
}

export function recordDirectoryLink(tx: Tx, { act, link }: EventOf<'directory_link_changed'>): Promise<void> {
  const { namespace_id, cn, filter, group_access } = link
  const source = cn === '' ? `the filter ${filter}` : `the group ${cn}`
  const message = `${act === 'created' ? 'Linked' : 'Unlinked'} ${source} of the directory, with access level ${group_access}`
  return record(tx, { event_name: `directory_link_${act}`, message, of: { namespace_id } })
}

export function recordGroupSecondFactor(tx: Tx, { group_id, isRequired }: EventOf<'group_second_factor_changed'>): Promise<void> {
  const message = isRequired ? 'Required a second factor of members' : 'No longer requires a second factor of members'
  return record(tx, { event_name: 'group_second_factor_changed', message, of: { namespace_id: group_id } })
}

export function recordNewGroup(tx: Tx, { group: { id } }: EventOf<'group_created'>): Promise<void> {
  return record(tx, { event_name: 'group_created', message: 'Created the group', of: { namespace_id: id } })
}

export function recordRemovedGroup(tx: Tx, { namespace_id }: EventOf<'namespace_removed'>): Promise<void> {
  return record(tx, { event_name: 'group_removed', message: 'Deleted the group, with all below it', of: { namespace_id } })
}

export async function recordRenamedGroup(tx: Tx, { group_id, before }: EventOf<'group_renamed'>): Promise<void> {
  const details = changeOf('path', before.full_path, await pathOf(tx, 'namespace_id', group_id))
  const message = `Renamed the group from ${before.full_path}`
  await record(tx, { event_name: 'group_renamed', message, of: { namespace_id: group_id }, details })
}

export async function recordMovedGroup(tx: Tx, { group_id, parent_id }: EventOf<'group_transferred'>): Promise<void> {
  const to = parent_id === null ? 'the top' : await pathOf(tx, 'namespace_id', parent_id)
  await record(tx, { event_name: 'group_transferred', message: `Moved the group to ${to}`, of: { namespace_id: group_id } })
}

/** The form that other software for such logs expects. */
function changeOf(change: string, from: unknown, to: unknown) {
  return { change, from, to }
}

export function recordScheduledDeletion(tx: Tx, { type, place, due_at }: EventOf<'deletion_scheduled'>): Promise<void> {
  return record(tx, { event_name: type, message: `Marked for deletion on ${due_at.slice(0, 10)}`, of: place, details: { due_at } })
}

export function recordWithdrawnDeletion(tx: Tx, { type, place }: EventOf<'deletion_withdrawn'>): Promise<void> {
  return record(tx, { event_name: type, message: 'Restored from deletion', of: place })
}

export function recordSizeLimit(tx: Tx, { type, place, limit, from, to }: EventOf<'size_limit_changed'>): Promise<void> {
  const what = limit === 'repository_size_limit' ? 'the limit of repositories' : 'the limit of storage'
  return record(tx, { event_name: type, message: `Changed ${what}`, of: place, details: changeOf(limit, from, to) })
}
