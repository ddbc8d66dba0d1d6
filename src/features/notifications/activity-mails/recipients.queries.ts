/** SQL for who may want mail about an issue or a merge request. */
import { notExpired } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableKey, NotificationSetting, User } from '../../../db/tables.ts'

export interface Subscription {
  user_id: number
  subscribed: boolean
}

type Key = NoteableKey<IssuableName>

/** What users chose by hand, for or against. */
export function choicesOf(db: Db, { kind, id }: Key): Promise<Subscription[]> {
  return db.selectFrom('subscriptions').select(['user_id', 'subscribed']).where(`${kind}_id`, '=', id).execute()
}

/** Who has subscribed to one of its labels. */
export async function subscribersOfLabels(db: Db, { kind, id }: Key): Promise<number[]> {
  const labels =
    kind === 'issue'
      ? db.selectFrom('issue_labels').select('label_id').where('issue_id', '=', id)
      : db.selectFrom('merge_request_labels').select('label_id').where('merge_request_id', '=', id)
  const found = db.selectFrom('subscriptions').select('user_id').distinct().where('label_id', 'in', labels).where('subscribed', '=', true)
  return (await found.execute()).map(({ user_id }) => user_id)
}

interface Place {
  id: number
  namespace_id: number
}

/** Who watches the project, or chose switches for it: there, in a group above it, or as a member everywhere. */
export async function watchersOf(db: Db, { id, namespace_id }: Place): Promise<number[]> {
  const above = db.selectFrom('namespace_ancestors as above').select('above.ancestor_id').where('above.namespace_id', '=', namespace_id)
  const attentive = ['watch', 'custom'] as const
  const here = db
    .selectFrom('notification_settings')
    .select('user_id')
    .where('level', 'in', attentive)
    .where((eb) => eb.or([eb('project_id', '=', id), eb('namespace_id', 'in', above)]))
  const everywhere = db
    .selectFrom('notification_settings')
    .innerJoin('members', 'members.user_id', 'notification_settings.user_id')
    .select('notification_settings.user_id')
    .where('level', 'in', attentive)
    .where('notification_settings.project_id', 'is', null)
    .where('notification_settings.namespace_id', 'is', null)
    .where(notExpired())
    .where((eb) => eb.or([eb('members.project_id', '=', id), eb('members.namespace_id', 'in', above)]))
  return (await here.union(everywhere).execute()).map(({ user_id }) => user_id)
}

export interface SettingNear extends Pick<NotificationSetting, 'user_id' | 'level' | 'switches'> {
  /** 0 for the project, 1 for its group, and so on; null for what holds everywhere. */
  distance: number | null
}

/** The settings of these users that may hold in the project: of each user the nearest first. */
export async function settingsNear(db: Db, { id, namespace_id }: Place, userIds: number[]): Promise<Map<number, SettingNear[]>> {
  const above = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select('namespaces.id')
    .where('namespace_ancestors.namespace_id', '=', namespace_id)
    // The longest path is that of the group itself.
    .orderBy((eb) => eb.fn('length', ['routes.path']), 'desc')
    .execute()
  const distances = new Map(above.map(({ id }, index) => [id, index + 1]))
  const rows = await db
    .selectFrom('notification_settings')
    .select(['user_id', 'project_id', 'namespace_id', 'level', 'switches'])
    .where('user_id', 'in', userIds)
    .where((eb) =>
      eb.or([
        eb('project_id', '=', id),
        eb('namespace_id', 'in', [0, ...distances.keys()]),
        eb.and([eb('project_id', 'is', null), eb('namespace_id', 'is', null)]),
      ]),
    )
    .execute()
  const near = rows
    .map(({ user_id, level, switches, project_id, namespace_id: group }) => {
      const distance = project_id !== null ? 0 : group === null ? null : (distances.get(group) as number)
      return { user_id, level, switches, distance }
    })
    .sort((a, b) => (a.distance ?? Number.MAX_SAFE_INTEGER) - (b.distance ?? Number.MAX_SAFE_INTEGER))
  const settings = new Map<number, SettingNear[]>()
  for (const setting of near) settings.set(setting.user_id, [...(settings.get(setting.user_id) ?? []), setting])
  return settings
}

export type Addressee = Pick<User, 'id' | 'email' | 'notification_email' | 'notified_of_own_activity'>

/** Those of them who get mail at all: people who may sign in, with an address that was confirmed. */
export function addressees(db: Db, userIds: number[]): Promise<Addressee[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'notification_email', 'notified_of_own_activity'])
    .where('id', 'in', userIds)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute()
}
