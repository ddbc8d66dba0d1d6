/** SQL for forks: which project is a fork of which. */
import { type Db, oneAtATime } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Project } from '../../../db/tables.ts'

/** The source of the fork; null if the project isn't a fork. */
export async function findSource(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('projects').select('forked_from_id').where('id', '=', id).executeTakeFirst()
  return found?.forked_from_id ?? null
}

/** Serializes new relations: two created at once could form a cycle. */
export function lockRelations(tx: Db): Promise<void> {
  return oneAtATime(tx, 'which project is a fork of which')
}

/** Makes the project a fork of `source`; false if it is a fork already. */
export async function setSource(tx: Db, id: number, source: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ forked_from_id: source, updated_at: now() })
    .where('id', '=', id)
    .where('forked_from_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if it is no longer a fork of `source`. */
export async function clearSource(tx: Db, id: number, source: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ forked_from_id: null, updated_at: now() })
    .where('id', '=', id)
    .where('forked_from_id', '=', source)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether the project is `of` itself, or one of its forks at any depth. */
export async function isMadeOf(db: Db, id: number, of: number): Promise<boolean> {
  for (let at: number | null = id; at !== null; at = await findSource(db, at)) if (at === of) return true
  return false
}

export async function avatarOf(db: Db, id: number): Promise<Pick<Project, 'avatar_key' | 'avatar_name'> | undefined> {
  return db.selectFrom('projects').select(['avatar_key', 'avatar_name']).where('id', '=', id).executeTakeFirst()
}

/** False if the project has one already. */
export async function giveAvatar(tx: Db, id: number, avatar: Pick<Project, 'avatar_key' | 'avatar_name'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set(avatar)
    .where('id', '=', id)
    .where('avatar_key', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** In bytes; null if the project is gone. */
export async function repositorySizeOf(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('projects').select('repository_size').where('id', '=', id).executeTakeFirst()
  return found?.repository_size ?? null
}
