/** SQL for the index of code. */
import { sql } from 'kysely'
import { codeVisibleTo, projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { cachedRows } from '../../../db/list-cache.ts'
import { among } from '../../../db/prepared-queries.ts'

/** The documents of a project in one segment. */
export interface Part {
  segment_id: number
  file: string
  project_id: number
  first_doc: number
  docs: number
}

export interface NewSegment {
  file: string
  bytes: number
  docs: number
  parts: Array<{ project_id: number; first_doc: number; docs: number; removed?: number[] }>
}

/** Records that the default branch has moved, so that the index is behind. One statement. */
export async function noteWanted(tx: Tx, project_id: number): Promise<void> {
  await tx
    .insertInto('code_projects')
    .values({ project_id, commit_oid: null, wanted: 1, done: 0 })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ wanted: sql`code_projects.wanted + 1` }))
    .execute()
}

export async function codeProject(db: Db, project_id: number) {
  return (await db.selectFrom('code_projects').selectAll().where('project_id', '=', project_id).executeTakeFirst()) ?? null
}

/** Records what the index has read of the project. False if the project was deleted. */
export async function setIndexed(tx: Tx, project_id: number, commit_oid: string | null, done: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('code_projects')
    .set({ commit_oid, done })
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

function parts(db: Db) {
  return db
    .selectFrom('code_parts')
    .innerJoin('code_segments', 'code_segments.id', 'code_parts.segment_id')
    .select(['segment_id', 'file', 'project_id', 'first_doc', 'code_parts.docs'])
}

export function partsOfProject(db: Db, project_id: number) {
  return parts(db).select('removed').where('project_id', '=', project_id).orderBy('segment_id').orderBy('first_doc').execute()
}

/** Locked until the transaction ends: nobody else can remove documents of them meanwhile. */
export function partsOfSegments(tx: Tx, ids: number[]) {
  const found = tx.selectFrom('code_parts').selectAll().where('segment_id', 'in', ids).orderBy('segment_id').orderBy('first_doc')
  return lockedRows(tx, found).execute()
}

/** A project, or a group with all below it; without either everything. */
export type Within = { project_id: number } | { group_id: number } | 'everything'

/** The parts that the viewer may read there: cached until something is written. */
export function visibleParts(db: Db, viewer: Viewer, within: Within): Promise<Part[]> {
  const query = parts(db).where('project_id', 'in', readable(db, viewer, within))
  return cachedRows<Part>(db, query.orderBy('segment_id', 'desc').orderBy('first_doc'))
}

/** The projects whose code the viewer may read and whose index is behind. */
export async function countBehind(db: Db, viewer: Viewer, within: Within): Promise<number> {
  const query = db
    .selectFrom('code_projects')
    .select(sql<number>`count(*)`.as('count'))
    .whereRef('wanted', '>', 'done')
    .where('project_id', 'in', readable(db, viewer, within))
  return (await query.executeTakeFirstOrThrow()).count
}

function readable(db: Db, viewer: Viewer, within: Within) {
  const projects = db.selectFrom('projects').select('projects.id').where(projectsVisibleTo(viewer)).where(codeVisibleTo(viewer))
  if (within === 'everything') return projects
  if ('project_id' in within) return projects.where('projects.id', '=', within.project_id)
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', within.group_id)
  return projects.where('projects.namespace_id', 'in', below)
}

/** Removed documents of each part that has any, keyed by `<segment> <first document>`. */
export async function removedDocs(db: Db, segmentId: number): Promise<Map<number, Set<number>>> {
  const rows = await db
    .selectFrom('code_parts')
    .select(['first_doc', 'removed'])
    .where('segment_id', '=', segmentId)
    .where('removed', '!=', '[]')
    .execute()
  return new Map(rows.map(({ first_doc, removed }) => [first_doc, new Set(JSON.parse(removed) as number[])]))
}

export async function setRemoved(tx: Tx, segmentId: number, firstDoc: number, removed: number[]): Promise<void> {
  await tx
    .updateTable('code_parts')
    .set({ removed: JSON.stringify(removed) })
    .where('segment_id', '=', segmentId)
    .where('first_doc', '=', firstDoc)
    .execute()
}

/** Parts of deleted projects are left out: they must not be found, and have no rows to refer to. */
export async function insertSegment(tx: Tx, { file, bytes, docs, parts }: NewSegment): Promise<void> {
  const ids = [...new Set(parts.map(({ project_id }) => project_id))]
  const rows = await tx
    .selectFrom('projects')
    .select('id')
    .where(among(tx, 'projects.id', ids))
    .execute()
  const there = new Set(rows.map(({ id }) => id))
  const { id } = await tx
    .insertInto('code_segments')
    .values({ file, bytes, docs, created_at: now() })
    .returning('id')
    .executeTakeFirstOrThrow()
  const kept = parts.filter(({ project_id }) => there.has(project_id))
  for (let start = 0; start < kept.length; start += 1000) {
    const some = kept.slice(start, start + 1000)
    const values = some.map(({ removed = [], ...part }) => ({ ...part, segment_id: id, removed: JSON.stringify(removed) }))
    await tx.insertInto('code_parts').values(values).execute()
  }
}

export async function deletePartsOf(tx: Tx, project_id: number): Promise<void> {
  await tx.deleteFrom('code_parts').where('project_id', '=', project_id).execute()
}

export async function deleteSegments(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('code_segments').where('id', 'in', ids).execute()
}

/** All segments with the number of their documents that belong to a part, oldest first. */
export function segmentsWithUse(db: Db) {
  return db
    .selectFrom('code_segments')
    .leftJoin('code_parts', 'code_parts.segment_id', 'code_segments.id')
    .select(['code_segments.id', 'file', 'bytes', 'code_segments.docs', 'code_segments.created_at'])
    .select(sql<number>`cast(coalesce(sum(code_parts.docs), 0) as bigint)`.as('used'))
    .select(sql<number>`cast(coalesce(sum(length(code_parts.removed)), 0) as bigint)`.as('removed_chars'))
    .groupBy(['code_segments.id', 'file', 'bytes', 'code_segments.docs', 'code_segments.created_at'])
    .orderBy('code_segments.id')
    .execute()
}

/** Projects with a default branch that the index doesn't know yet. */
export async function unknownProjects(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('code_projects', 'code_projects.project_id', 'projects.id')
    .select('projects.id')
    .where('projects.default_branch', 'is not', null)
    .where('code_projects.project_id', 'is', null)
    .orderBy('projects.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Forgets what the index has of these projects, so that they are read completely again. */
export async function forgetProjects(tx: Tx, segmentIds: number[]): Promise<void> {
  const projects = tx.selectFrom('code_parts').select('project_id').where('segment_id', 'in', segmentIds)
  await tx.deleteFrom('code_projects').where('project_id', 'in', projects).execute()
}

/** The indexed commits, keyed by project. */
export async function indexedCommits(db: Db, projectIds: number[]): Promise<Map<number, string>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db.selectFrom('code_projects').select(['project_id', 'commit_oid']).where('project_id', 'in', projectIds).execute()
  return new Map(rows.map(({ project_id, commit_oid }) => [project_id, commit_oid ?? '']))
}

/** Adds rows for projects that the index didn't know: they are behind. */
export async function addProjects(db: Db, projectIds: number[]): Promise<void> {
  if (projectIds.length === 0) return
  const values = projectIds.map((project_id) => ({ project_id, commit_oid: null, wanted: 1, done: 0 }))
  await db
    .insertInto('code_projects')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Projects whose index is behind. */
export async function projectsBehind(db: Db, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('code_projects').select('project_id').whereRef('wanted', '>', 'done').limit(limit).execute()
  return rows.map(({ project_id }) => project_id)
}
