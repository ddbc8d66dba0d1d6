/** SQL for forks: who is a fork of whom, and how many forks a project has. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Project, Visibility } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'

/**
 * The project this one is a fork of, which nobody else changes until the transaction ends; null when it is none. Taken before
 * the fork itself is touched: whoever needs both gets them in this order.
 */
export async function lockSourceOf(tx: Db, id: number): Promise<number | null> {
  const { forked_from_id: source = null } =
    (await tx.selectFrom('projects').select('forked_from_id').where('id', '=', id).executeTakeFirst()) ?? {}
  if (source !== null) await lockProject(tx, source)
  return source
}

async function lockProject(tx: Db, id: number): Promise<void> {
  await tx.updateTable('projects').set({ id }).where('id', '=', id).execute()
}

/** Brings the number up to date that is shown of a project's forks: part of the transaction that makes or ends one. */
export async function recountForks(tx: Db, source: number): Promise<void> {
  // A count taken before the lock would miss what others commit while it is waited for.
  await lockProject(tx, source)
  await tx
    .updateTable('projects')
    .set((eb) => ({
      forks_count: eb
        .selectFrom('projects as forks')
        .select(eb.fn.countAll<number>().as('count'))
        .where('forks.forked_from_id', '=', source),
    }))
    .where('id', '=', source)
    .execute()
}

/** Makes the project a fork of `source`; false when it is one already. */
export async function setSource(tx: Db, id: number, source: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ forked_from_id: source, updated_at: now() })
    .where('id', '=', id)
    .where('forked_from_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function clearSource(tx: Db, id: number): Promise<void> {
  await tx.updateTable('projects').set({ forked_from_id: null, updated_at: now() }).where('id', '=', id).execute()
}

/** Whether the project is `of` itself, or a fork of it, or a fork of a fork. */
export async function isMadeOf(db: Db, id: number, of: number): Promise<boolean> {
  for (let at: number | null = id; at !== null; at = await sourceIdOf(db, at)) if (at === of) return true
  return false
}

async function sourceIdOf(db: Db, id: number): Promise<number | null> {
  const found = await db.selectFrom('projects').select('forked_from_id').where('id', '=', id).executeTakeFirst()
  return found?.forked_from_id ?? null
}

/** How open the project is that a fork is made of. Throws where it has gone before the fork was. */
export async function sourceOf(db: Db, id: number): Promise<{ visibility: Visibility }> {
  const found = await db.selectFrom('projects').select('visibility').where('id', '=', id).executeTakeFirst()
  if (!found) throw new Failure('not_found', 'The project it is a fork of was deleted')
  return found
}

export async function avatarOf(db: Db, id: number): Promise<Pick<Project, 'avatar_key' | 'avatar_name'> | undefined> {
  return db.selectFrom('projects').select(['avatar_key', 'avatar_name']).where('id', '=', id).executeTakeFirst()
}

/** False where the project has one already: somebody was quicker. */
export async function giveAvatar(tx: Db, id: number, avatar: Pick<Project, 'avatar_key' | 'avatar_name'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set(avatar)
    .where('id', '=', id)
    .where('avatar_key', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
