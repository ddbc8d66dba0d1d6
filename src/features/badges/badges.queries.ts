/** SQL for badges. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, pageOf } from '../../db/database.ts'
import type { Badge, BadgeTable } from '../../db/people-tables.ts'

/** Where a badge stands: a group, or a project below its groups. */
export type BadgePlace = { namespace_id: number } | { project_id: number; below: number }

/** Those of the place; for a project those of the groups above too. */
export function listBadges(db: Db, place: BadgePlace, page: PageOf): Promise<{ rows: Badge[]; total: number }> {
  return pageOf(badgesAt(db, place).orderBy('created_at').orderBy('id'), page)
}

export async function badgeAt(db: Db, place: BadgePlace, id: number): Promise<Badge | null> {
  return (await badgesAt(db, place).where('id', '=', id).executeTakeFirst()) ?? null
}

function badgesAt(db: Db, place: BadgePlace) {
  const badges = db.selectFrom('badges').selectAll()
  if ('namespace_id' in place) return badges.where('namespace_id', '=', place.namespace_id)
  return badges.where((eb) =>
    eb.or([
      eb('project_id', '=', place.project_id),
      eb(
        'namespace_id',
        'in',
        eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', place.below),
      ),
    ]),
  )
}

export function insertBadge(db: Db, row: Insertable<BadgeTable>): Promise<Badge> {
  return db.insertInto('badges').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateBadge(db: Db, id: number, urls: Pick<Badge, 'link_url' | 'image_url'>): Promise<Badge | undefined> {
  return db.updateTable('badges').set(urls).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteBadge(db: Db, id: number): Promise<void> {
  await db.deleteFrom('badges').where('id', '=', id).execute()
}
