/** SQL for possible recipients of mail about a noteable. */
import { notExpired } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableKey } from '../../../db/tables.ts'

export interface Subscription {
  user_id: number
  subscribed: boolean
}

type Key = NoteableKey<IssuableName>

/** Explicit choices of users, for or against. */
export function choicesOf(db: Db, { kind, id }: Key): Promise<Subscription[]> {
  return db.selectFrom('subscriptions').select(['user_id', 'subscribed']).where(`${kind}_id`, '=', id).execute()
}

/** Users who have subscribed to one of its labels. */
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

/** Users who watch the project or have custom settings for it: for the project, a group above it, or globally as a member. */
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
