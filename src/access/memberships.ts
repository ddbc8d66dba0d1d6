/** Memberships read once, for queries that ask for them several times. */
import { expressionBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { today } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Tables } from '../db/tables.ts'
import { accessLevels } from './levels.ts'
import { namespacesOfMember, projectsJoinedBy } from './members.ts'
import type { Viewer } from './visible.ts'

/** The levels that decide what of a project is seen. */
const levels: number[] = [accessLevels.guest, accessLevels.reporter]

/** Of more than that many a query is built by the database itself. */
const maxKnown = 2_000

/**
 * The viewer for a query with several predicates of visible.ts. Each of these asks for memberships, and PostgreSQL plans each of the
 * questions anew: that takes longer than all else of the query. One statement, cached.
 */
export async function withMemberships<V extends Viewer>(db: Db, viewer: V): Promise<V> {
  if (!viewer || viewer.admin || viewer.memberships) return viewer
  const found = await membershipsOf(db, viewer.id, today())
  if (found.length > maxKnown) return viewer
  const places = new Map<number, { db: Db; namespaceIds: number[]; projectIds: number[] }>(
    levels.map((level) => [level, { db, namespaceIds: [], projectIds: [] }]),
  )
  for (const { level, namespace_id, project_id } of found) {
    if (namespace_id !== null) places.get(level)?.namespaceIds.push(namespace_id)
    if (project_id !== null) places.get(level)?.projectIds.push(project_id)
  }
  return { ...viewer, memberships: (minLevel: number) => places.get(minLevel) ?? null }
}

const membershipsOf = prepared((db: Db, userId: number, day: string) =>
  heldFrom(db, userId, day, accessLevels.guest)
    .union(heldFrom(db, userId, day, accessLevels.reporter))
    .limit(maxKnown + 1),
)

function heldFrom(db: Db, userId: number, day: string, level: number) {
  const eb = expressionBuilder<Tables, 'projects'>()
  const none = sql.lit<number | null>(null)
  const namespaces = db
    .selectFrom(namespacesOfMember(eb, userId, level, day).as('held'))
    .select([sql.lit(level).as('level'), sql<number | null>`held.namespace_id`.as('namespace_id'), none.as('project_id')])
  const projects = db
    .selectFrom(projectsJoinedBy(eb, userId, level, day).as('held'))
    .select([sql.lit(level).as('level'), none.as('namespace_id'), sql<number | null>`held.project_id`.as('project_id')])
  return namespaces.union(projects)
}
