/** Visibility of labels and milestones: that of the project or group they belong to, if issues or merge requests are available there. */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { milestonesOn } from './events.ts'
import { groupsVisibleTo, projectsVisibleTo, type Viewer } from './visible.ts'

/** For a query over the table. */
export function plansVisibleTo(db: Db, viewer: Viewer, table: 'labels' | 'milestones'): Expression<SqlBool> {
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.id', '=', sql.ref<number>(`${table}.project_id`))
    .where(projectsVisibleTo(viewer))
    .where(milestonesOn(viewer))
  const group = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', '=', sql.ref<number>(`${table}.namespace_id`))
    .where(groupsVisibleTo(viewer))
  return sql<SqlBool>`(exists ${project} or exists ${group})`
}
