/** SQL for wikis. */
import type { WikiHome } from '../../../access/wikis.ts'
import { type Db, lastingRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Wiki } from '../../../db/tables.ts'

/** The wiki of the project or group; a new one unless a concurrent request has created it. */
export async function insertWiki(db: Db, { kind, row }: WikiHome): Promise<void> {
  const home = kind === 'project' ? { project_id: row.id } : { namespace_id: row.id }
  await db
    .insertInto('wikis')
    .values({ ...home, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function wikiById(db: Db, id: number): Promise<Wiki | null> {
  return (await db.selectFrom('wikis').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function notePushTo(db: Db, id: number, pushed_at: Instant): Promise<void> {
  await db
    .updateTable('wikis')
    .set((eb) => ({ pushed_at, push_count: eb('push_count', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function setWikiSize(db: Db, id: number, size: number): Promise<void> {
  await db.updateTable('wikis').set({ size }).where('id', '=', id).execute()
  // Also stored with the project, since lists show its statistics.
  const project = db.selectFrom('wikis').select('project_id').where('id', '=', id)
  await db.updateTable('projects').set({ wiki_size: size }).where('id', '=', project).execute()
}

/** Whether the project or group exists; it can't be deleted until the transaction ends. */
export async function isHomeThere(tx: Tx, { kind, row }: WikiHome): Promise<boolean> {
  const found =
    kind === 'project'
      ? lastingRows(tx, tx.selectFrom('projects').select('id').where('id', '=', row.id), 'projects')
      : lastingRows(tx, tx.selectFrom('namespaces').select('id').where('id', '=', row.id), 'namespaces')
  return (await found.executeTakeFirst()) !== undefined
}

/**
 * The wikis that are deleted with a namespace: its own and those of the groups below it. Those of projects are deleted with the projects.
 */
export async function wikisBelow(db: Db, namespace_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('wikis')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'wikis.namespace_id')
    .select('wikis.id')
    .where('namespace_ancestors.ancestor_id', '=', namespace_id)
    .execute()
  return rows.map(({ id }) => id)
}

export async function wikiIdOf(db: Db, project_id: number): Promise<number | null> {
  const found = await db.selectFrom('wikis').select('id').where('project_id', '=', project_id).executeTakeFirst()
  return found?.id ?? null
}

/** The ids of wikis with a repository that follow `after`, in order. */
export async function writtenWikisAfter(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('wikis')
    .select('id')
    .where('id', '>', after)
    .where('pushed_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
