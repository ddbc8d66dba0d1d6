/** Reads the memberships of a viewer once, for queries that need them several times. */
import { expressionBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { today } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Tables } from '../db/tables.ts'
import { accessLevels } from './levels.ts'
import { groupsAbove, groupsJoinedBy, namespacesOfMember, projectsJoinedBy } from './members.ts'
import type { Memberships, Viewer } from './visible.ts'

/** The levels that determine what is visible in a project. */
const levels: number[] = [accessLevels.guest, accessLevels.reporter]
const seen = 0

/** With more memberships than this, the database reads them itself in each query. */
const maxKnown = 2_000

/**
 * The viewer for a query with several predicates of visible.ts. Each predicate needs the memberships, and PostgreSQL would plan each
 * subquery, which takes longer than the rest of the query. One statement, not run again until something is written.
 */
export async function withMemberships<V extends Viewer>(db: Db, viewer: V): Promise<V> {
  if (!viewer || viewer.admin || viewer.memberships) return viewer
  const found = await membershipsOf(db, viewer.id, today())
  if (found.length > maxKnown) return viewer
  const places = new Map([...levels, seen].map((level) => [level, { namespaceIds: [] as number[], projectIds: [] as number[] }]))
  for (const { level, namespace_id, project_id } of found) {
    if (namespace_id !== null) places.get(level)?.namespaceIds.push(namespace_id)
    if (project_id !== null) places.get(level)?.projectIds.push(project_id)
  }
  const memberships: Memberships = {
    db,
    rows: found,
    at: (minLevel) => (minLevel === seen ? null : (places.get(minLevel) ?? null)),
    seenGroupIds: places.get(seen)?.namespaceIds ?? [],
  }
  return { ...viewer, memberships }
}

const membershipsOf = prepared(
  (db: Db, userId: number, day: string) =>
    heldFrom(db, userId, day, accessLevels.guest)
      .union(heldFrom(db, userId, day, accessLevels.reporter))
      .union(seenGroups(db, userId, day))
      .limit(maxKnown + 1),
  undefined,
  { isKept: true },
)

const none = sql.lit<number | null>(null)
const heldNamespace = sql<number | null>`held.namespace_id`

function heldFrom(db: Db, userId: number, day: string, level: number) {
  const eb = expressionBuilder<Tables, 'projects'>()
  const namespaces = db
    .selectFrom(namespacesOfMember(eb, userId, level, day).as('held'))
    .select([sql.lit(level).as('level'), heldNamespace.as('namespace_id'), none.as('project_id')])
  const projects = db
    .selectFrom(projectsJoinedBy(eb, userId, level, day).as('held'))
    .select([sql.lit(level).as('level'), none.as('namespace_id'), sql<number | null>`held.project_id`.as('project_id')])
  return namespaces.union(projects)
}

function seenGroups(db: Db, userId: number, day: string) {
  const eb = expressionBuilder<Tables, 'namespaces'>()
  const groups = groupsJoinedBy(eb, userId, accessLevels.guest, day).unionAll(groupsAbove(eb, userId, day))
  return db
    .selectFrom(groups.as('held'))
    .select([sql.lit<number>(seen).as('level'), heldNamespace.as('namespace_id'), none.as('project_id')])
}
