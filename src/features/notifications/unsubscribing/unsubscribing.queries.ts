/** SQL for the target of an unsubscribe link. */
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableKey } from '../../../db/tables.ts'
import type { Unsubscription } from '../outbox/outbox.ts'

export interface Subscribed {
  user_id: number
  on: NoteableKey<IssuableName>
  iid: number
}

/** Null if the user or the target was deleted. */
export async function subscribedTo(db: Db, { user_id, issue_id, merge_request_id }: Unsubscription): Promise<Subscribed | null> {
  const kind = issue_id === null ? 'merge_request' : 'issue'
  const id = issue_id ?? merge_request_id
  if (id === null) return null
  const found = await db
    .selectFrom(kind === 'issue' ? 'issues' : 'merge_requests')
    .select('iid')
    .where('id', '=', id)
    .where(({ exists, selectFrom }) => exists(selectFrom('users').select('users.id').where('users.id', '=', user_id)))
    .executeTakeFirst()
  return found ? { user_id, on: { kind, id }, iid: found.iid } : null
}
