/** SQL for releases. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Release, ReleaseTable } from '../../../db/tables.ts'

/** The releases of these tags, which must be those of one page. */
export async function releasesOf(db: Db, project_id: number, tagNames: string[]): Promise<Map<string, Release>> {
  if (tagNames.length === 0) return new Map()
  const rows = await db.selectFrom('releases').selectAll().where('project_id', '=', project_id).where('tag_name', 'in', tagNames).execute()
  return new Map(rows.map((release) => [release.tag_name, release]))
}

export type NewRelease = Omit<Insertable<ReleaseTable>, 'id' | 'created_at' | 'updated_at' | 'released_at'> & {
  released_at?: Instant | undefined
}

/** Throws a unique violation if the tag already has a release. */
export function insertRelease(db: Db, release: NewRelease): Promise<Release> {
  const at = now()
  return db
    .insertInto('releases')
    .values({ ...release, released_at: release.released_at ?? at, created_at: at, updated_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Null if the tag has none. */
export async function updateRelease(db: Db, project_id: number, tag_name: string, description: string): Promise<Release | null> {
  const updated = await db
    .updateTable('releases')
    .set({ description, updated_at: now() })
    .where('project_id', '=', project_id)
    .where('tag_name', '=', tag_name)
    .returningAll()
    .executeTakeFirst()
  return updated ?? null
}

export async function deleteRelease(db: Db, project_id: number, tag_name: string): Promise<void> {
  await db.deleteFrom('releases').where('project_id', '=', project_id).where('tag_name', '=', tag_name).execute()
}
