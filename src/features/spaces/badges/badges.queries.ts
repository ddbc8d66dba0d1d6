/** SQL for badges. */
import { projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Badge } from '../../../db/tables.ts'

/** The place of a badge: a group, or a project below its groups. */
export type BadgePlace = { namespace_id: number } | { project_id: number; below: number }

type Urls = Pick<Badge, 'link_url' | 'image_url'>

/** The badges of a place, oldest first; for a project also those of the groups above. */
export function listBadges(db: Db, place: BadgePlace, page: PageOf): Promise<{ rows: Badge[]; total: number }> {
  return paginate(badgesAt(db, place).orderBy('created_at').orderBy('id'), page)
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

export function insertBadge(db: Db, place: BadgePlace, urls: Urls): Promise<Badge> {
  const at = 'namespace_id' in place ? { ...place, project_id: null } : { project_id: place.project_id, namespace_id: null }
  return db
    .insertInto('badges')
    .values({ ...at, ...urls, created_at: now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateBadge(db: Db, id: number, urls: Urls): Promise<Badge | null> {
  const changed = db.updateTable('badges').set({ ...urls, updated_at: now() })
  return (await changed.where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteBadge(db: Db, id: number): Promise<void> {
  await db.deleteFrom('badges').where('id', '=', id).execute()
}

/** The oldest of the projects directly in the group that the viewer can see. */
export async function oldestProjectOf(db: Db, groupId: number, viewer: Viewer): Promise<number | null> {
  const inside = db.selectFrom('projects').select('projects.id').where('projects.namespace_id', '=', groupId)
  const found = await inside.where(projectsVisibleTo(viewer)).orderBy('projects.id').limit(1).executeTakeFirst()
  return found?.id ?? null
}
