/** SQL for connected chat accounts. */
import { projectsVisibleTo } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ChatName, Integration, User } from '../../../db/tables.ts'

export type ChatUser = Pick<ChatName, 'integration_id' | 'team_id' | 'team_domain' | 'chat_id' | 'chat_name'>

export async function chatNameOf(db: Db, { integration_id, team_id, chat_id }: Pick<ChatUser, 'integration_id' | 'team_id' | 'chat_id'>) {
  const found = db.selectFrom('chat_names').selectAll().where('integration_id', '=', integration_id)
  return (await found.where('team_id', '=', team_id).where('chat_id', '=', chat_id).executeTakeFirst()) ?? null
}

/** False if someone has connected this chat account meanwhile. */
export async function insertChatName(tx: Tx, user_id: number, chat: ChatUser): Promise<boolean> {
  const inserted = tx
    .insertInto('chat_names')
    .values({ user_id, ...chat, created_at: now() })
    .onConflict((conflict) => conflict.columns(['integration_id', 'team_id', 'chat_id']).doNothing())
  return (await inserted.returning('id').executeTakeFirst()) !== undefined
}

export async function noteUse(db: Db, id: number, at: string): Promise<void> {
  await db.updateTable('chat_names').set({ last_used_at: at }).where('id', '=', id).execute()
}

/** @returns false if the user has no such connection */
export async function deleteChatName(db: Db, user_id: number, id: number): Promise<boolean> {
  const deleted = db.deleteFrom('chat_names').where('user_id', '=', user_id).where('id', '=', id)
  return (await deleted.executeTakeFirst()).numDeletedRows > 0n
}

export interface ListedChatName extends ChatName {
  slug: Integration['slug']
  /** Null if the user can no longer see it. */
  project_path: string | null
}

/** Newest first: at most three statements. */
export async function listChatNames(db: Db, user: User, page: PageOf): Promise<{ rows: ListedChatName[]; total: number }> {
  const names = db
    .selectFrom('chat_names')
    .innerJoin('integrations', 'integrations.id', 'chat_names.integration_id')
    .selectAll('chat_names')
    .select(['integrations.slug', 'integrations.project_id'])
    .where('chat_names.user_id', '=', user.id)
  const { rows, total } = await paginate(names.orderBy('chat_names.id', 'desc'), page)
  const ids = rows.flatMap(({ project_id }) => project_id ?? [])
  const visible = ids.length === 0 ? [] : await pathsOf(db, user, ids)
  const paths = new Map(visible.map(({ id, path }) => [id, path]))
  return { rows: rows.map(({ project_id, ...row }) => ({ ...row, project_path: paths.get(project_id ?? 0) ?? null })), total }
}

function pathsOf(db: Db, user: User, ids: number[]): Promise<Array<{ id: number; path: string }>> {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['projects.id', 'routes.path'])
    .where('projects.id', 'in', ids)
    .where((eb) => projectsVisibleTo(user)(eb as never))
    .execute()
}
