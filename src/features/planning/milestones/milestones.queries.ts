/** SQL for milestones of projects and groups. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { PlacedMilestone } from './milestones.present.ts'

/** Milestones with the paths of their places: the base of every query for milestones. */
export function placedMilestones(db: Db) {
  return db
    .selectFrom('milestones')
    .innerJoin('routes', (join) =>
      join.on((eb) =>
        eb.or([
          eb('routes.project_id', '=', eb.ref('milestones.project_id')),
          eb('routes.namespace_id', '=', eb.ref('milestones.namespace_id')),
        ]),
      ),
    )
    .selectAll('milestones')
    .select(sql<string>`routes.path`.as('place_path'))
}

/** Those with these ids, in any order, wherever they are. */
export async function milestonesByIds(db: Db, ids: number[]): Promise<PlacedMilestone[]> {
  return ids.length === 0 ? [] : placedMilestones(db).where('milestones.id', 'in', ids).execute()
}
