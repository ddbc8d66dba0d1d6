/** SQL of the doctor, which only reads. */
import { type Kysely, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

/** When the last push was recorded; null if there was none. */
export async function newestInstant(db: Db): Promise<string | null> {
  const row = await db.selectFrom('events').select('created_at').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.created_at ?? null
}

/** The clock of a PostgreSQL server, in milliseconds since the epoch. */
export async function databaseTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
  return Number(rows[0]?.ms)
}

export interface SampledProject {
  id: number
  full_path: string
  default_branch: string | null
}

const sample = 20

/** The most recently active projects, and as many of all others: faults are most likely found there. */
export async function sampledProjects(db: Db): Promise<SampledProject[]> {
  const projects = () =>
    db
      .selectFrom('projects')
      .innerJoin('routes', 'routes.project_id', 'projects.id')
      .select(['projects.id', 'routes.path as full_path', 'default_branch'])
      .where('import_status', 'in', ['none', 'finished'])
      .limit(sample)
  const active = await projects().orderBy('last_activity_at', 'desc').execute()
  const ids = active.map(({ id }) => id)
  const others = await projects()
    .$if(ids.length > 0, (query) => query.where('projects.id', 'not in', ids))
    .orderBy(sql`random()`)
    .execute()
  return [...active, ...others]
}

export interface SampledWiki {
  id: number
  /** Full path of its project or group. */
  full_path: string
}

/** The most recently changed wikis, and as many of all others. */
export async function sampledWikis(db: Db): Promise<SampledWiki[]> {
  const wikis = () =>
    db
      .selectFrom('wikis')
      .innerJoin('routes', (join) =>
        join.on((eb) =>
          eb.or([eb('routes.project_id', '=', eb.ref('wikis.project_id')), eb('routes.namespace_id', '=', eb.ref('wikis.namespace_id'))]),
        ),
      )
      .select(['wikis.id', 'routes.path as full_path'])
      .where('pushed_at', 'is not', null)
      .limit(sample)
  const written = await wikis().orderBy('pushed_at', 'desc').execute()
  const others = await wikis().orderBy(sql`random()`).execute()
  return [...new Map([...written, ...others].map((wiki) => [wiki.id, wiki])).values()]
}

/** The tip of each default branch after its last recorded push; projects without pushes have no row. */
export async function lastPushes(db: Db, projects: SampledProject[]): Promise<Map<number, string | null>> {
  const found = new Map<number, string | null>()
  for (const { id, default_branch } of projects) {
    const row = await db
      .selectFrom('events')
      .select('after_oid')
      .where('project_id', '=', id)
      .where('action', '=', 'pushed')
      .where('ref', '=', `refs/heads/${default_branch}`)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (row) found.set(id, row.after_oid)
  }
  return found
}

/** When each push began that is not recorded yet. */
export function openPushes(db: Db): Promise<Array<{ created_at: string }>> {
  return db.selectFrom('push_intents').select('created_at').orderBy('created_at').execute()
}

export interface SampledObject {
  oid: string
  size: number
  store_key: string
}

/** Large files that belong to projects: the newest, and as many of all others. */
export async function sampledObjects(db: Db): Promise<SampledObject[]> {
  const objects = () => db.selectFrom('lfs_objects').select(['oid', 'size', 'store_key']).where('orphaned_at', 'is', null).limit(sample)
  const newest = await objects().orderBy('created_at', 'desc').execute()
  const others = await objects().orderBy(sql`random()`).execute()
  return [...new Map([...newest, ...others].map((object) => [object.oid, object])).values()]
}
