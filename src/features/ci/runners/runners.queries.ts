/** SQL for runners, the projects they are for, and the machines that use their tokens. */
import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import { levelFor } from '../../../access/permissions.ts'
import { groupsOfMember, projectsOfMember, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { CiRunner, CiRunnerManager, CiRunnerManagerTable, CiRunnerTable, Tables } from '../../../db/tables.ts'

export async function runnerById(db: Db, id: number): Promise<CiRunner | null> {
  return (await db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function insertRunner(db: Db, values: Insertable<CiRunnerTable>): Promise<CiRunner> {
  return db.insertInto('ci_runners').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateRunner(db: Db, id: number, change: Updateable<CiRunnerTable>): Promise<void> {
  await db.updateTable('ci_runners').set(change).where('id', '=', id).execute()
}

/** Deletes its machines, too; its jobs are kept without a runner. */
export async function deleteRunner(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_runners').where('id', '=', id).execute()
}

/** False if the runner already belongs to the project. */
export async function insertRunnerProject(db: Db, runner_id: number, project_id: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('ci_runner_projects')
    .values({ runner_id, project_id, created_at: now() })
    .onConflict((conflict) => conflict.columns(['runner_id', 'project_id']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

export async function deleteRunnerProject(db: Db, runner_id: number, project_id: number): Promise<void> {
  await db.deleteFrom('ci_runner_projects').where('runner_id', '=', runner_id).where('project_id', '=', project_id).execute()
}

/** Oldest first: the first is the project it was registered for. */
export async function projectIdsOf(db: Db, runner_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_runner_projects')
    .select('project_id')
    .where('runner_id', '=', runner_id)
    .orderBy('created_at')
    .orderBy('project_id')
    .execute()
  return rows.map(({ project_id }) => project_id)
}

export interface RunnerFilter {
  kind?: CiRunner['kind'] | undefined
  notShared?: boolean
  status?: RunnerStatus | undefined
  paused?: boolean | undefined
  /** The runner must have all of them. */
  tag_list?: string[] | undefined
  version_prefix?: string | undefined
}

/** `active` and `paused` are set by users; the others depend on the last contact. */
export type RunnerStatus = 'active' | 'paused' | 'online' | 'offline' | 'stale' | 'never_contacted'

/** Without contact for longer than these, a runner is offline, or stale. */
export const online_ms = 2 * 60 * 60_000
export const stale_ms = 7 * 24 * 60 * 60_000

/** The scope of a list of runners. */
export type RunnerList =
  | { of: 'instance' }
  /** Runners that the user manages: in projects as maintainer, in groups as owner. */
  | { of: 'user'; user: NonNullable<Viewer> }
  /** Its own runners, those of the groups above it, and those of the instance. */
  | { of: 'project'; id: number; namespace_id: number }
  /** Its own runners, those of the groups above it, and those of the instance. */
  | { of: 'group'; id: number }

/** Newest first. */
export function listRunners(db: Db, list: RunnerList, filter: RunnerFilter, page: PageOf): Promise<{ rows: CiRunner[]; total: number }> {
  let query = filtered(listed(db, list), filter)
  query = query.orderBy('ci_runners.id', 'desc')
  return paginate(query, page)
}

/** Whether the user manages the runner. */
export async function isManagedBy(db: Db, user: NonNullable<Viewer>, id: number): Promise<boolean> {
  return (await listed(db, { of: 'user', user }).where('ci_runners.id', '=', id).executeTakeFirst()) !== undefined
}

/** Runners of other projects that the user may enable for this one: unlocked, and of projects they manage. At most fifty. */
export function enableableRunners(db: Db, user: NonNullable<Viewer>, project: { id: number }): Promise<CiRunner[]> {
  return listed(db, { of: 'user', user })
    .where('ci_runners.kind', '=', 'project')
    .where('ci_runners.locked', '=', false)
    .where('ci_runners.id', 'not in', (eb) => eb.selectFrom('ci_runner_projects').select('runner_id').where('project_id', '=', project.id))
    .orderBy('ci_runners.id', 'desc')
    .limit(50)
    .execute()
}

/** A runner that is registered for this project or group, or any runner for the instance; null otherwise. */
export async function runnerAt(
  db: Db,
  place: { kind: 'instance' } | { kind: 'project' | 'group'; id: number },
  id: number,
): Promise<CiRunner | null> {
  const one = db.selectFrom('ci_runners').selectAll().where('id', '=', id)
  if (place.kind === 'instance') return (await one.executeTakeFirst()) ?? null
  if (place.kind === 'group') return (await one.where('namespace_id', '=', place.id).executeTakeFirst()) ?? null
  const own = one.where('id', 'in', (eb) => eb.selectFrom('ci_runner_projects').select('runner_id').where('project_id', '=', place.id))
  return (await own.executeTakeFirst()) ?? null
}

function listed(db: Db, list: RunnerList) {
  const all = db.selectFrom('ci_runners').selectAll('ci_runners')
  if (list.of === 'instance') return all
  if (list.of === 'user') return all.where((eb) => eb.or([ofProjectsManagedBy(list.user)(eb), ofGroupsOwnedBy(list.user)(eb)]))
  const place = list.of === 'group' ? list.id : list.namespace_id
  return all.where((eb) => {
    const above = eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', place)
    const common = [eb('ci_runners.kind', '=', 'instance'), eb('ci_runners.namespace_id', 'in', above)]
    if (list.of === 'group') return eb.or(common)
    const own = eb.selectFrom('ci_runner_projects').select('runner_id').where('project_id', '=', list.id)
    return eb.or([...common, eb('ci_runners.id', 'in', own)])
  })
}

type InRunners = ExpressionBuilder<Tables, 'ci_runners'>

function ofProjectsManagedBy(user: NonNullable<Viewer>) {
  return (eb: InRunners) =>
    eb(
      'ci_runners.id',
      'in',
      eb
        .selectFrom('ci_runner_projects')
        .innerJoin('projects', 'projects.id', 'ci_runner_projects.project_id')
        .select('ci_runner_projects.runner_id')
        .where((own) => projectsOfMember(user, levelFor('manage_runners'))(own)),
    )
}

function ofGroupsOwnedBy(user: NonNullable<Viewer>) {
  return (eb: InRunners) =>
    eb(
      'ci_runners.namespace_id',
      'in',
      eb
        .selectFrom('namespaces')
        .select('namespaces.id')
        .where((own) => groupsOfMember(user.id, levelFor('edit_group'))(own)),
    )
}

function filtered(query: ReturnType<typeof listed>, { kind, notShared, status, paused, tag_list, version_prefix }: RunnerFilter) {
  let found = query
  if (kind) found = found.where('ci_runners.kind', '=', kind)
  if (notShared) found = found.where('ci_runners.kind', '!=', 'instance')
  if (paused !== undefined) found = found.where('active', '=', !paused)
  if (version_prefix) found = found.where('version', 'like', `${version_prefix.replace(/[^\d.]/g, '')}%`)
  for (const tag of tag_list ?? []) found = found.where(hasTag(tag))
  return status ? withStatus(found, status) : found
}

/** `tags` contains them as JSON. */
function hasTag(tag: string) {
  const pattern = `%${JSON.stringify(tag).replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`ci_runners.tags like ${pattern} escape '\\'`
}

function withStatus(query: ReturnType<typeof listed>, status: RunnerStatus) {
  const [online, stale] = [online_ms, stale_ms].map((ms) => new Date(Date.now() - ms).toISOString()) as [string, string]
  switch (status) {
    case 'active':
      return query.where('active', '=', true)
    case 'paused':
      return query.where('active', '=', false)
    case 'online':
      return query.where('contacted_at', '>', online)
    case 'offline':
      return query.where('contacted_at', '<=', online)
    case 'stale':
      return query
        .where('ci_runners.created_at', '<=', stale)
        .where((eb) => eb.or([eb('contacted_at', 'is', null), eb('contacted_at', '<=', stale)]))
    case 'never_contacted':
      return query.where('contacted_at', 'is', null)
  }
}

export async function managersOf(db: Db, runner_id: number, page: PageOf): Promise<{ rows: CiRunnerManager[]; total: number }> {
  return paginate(db.selectFrom('ci_runner_managers').selectAll().where('runner_id', '=', runner_id).orderBy('id', 'desc'), page)
}

export const managerBySystem = prepared((db: Db, runner_id: number, system_id: string) =>
  db.selectFrom('ci_runner_managers').selectAll().where('runner_id', '=', runner_id).where('system_id', '=', system_id),
)

/** Inserts or updates the row, and returns its id. */
export async function saveManager(db: Db, values: Omit<Insertable<CiRunnerManagerTable>, 'created_at'>): Promise<number> {
  const { runner_id: _, system_id: __, ...change } = values
  const { id } = await db
    .insertInto('ci_runner_managers')
    .values({ ...values, created_at: now() })
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doUpdateSet(change))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** False if there is no such machine. */
export async function deleteManager(db: Db, runner_id: number, system_id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('ci_runner_managers')
    .where('runner_id', '=', runner_id)
    .where('system_id', '=', system_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The projects of a runner that the viewer is a member of; administrators see all of them. */
export async function projectsSeenOf(db: Db, runner_id: number, viewer: NonNullable<Viewer>): Promise<LocatedProject[]> {
  let query = locatedProjects(db).where('projects.id', 'in', (eb) =>
    eb.selectFrom('ci_runner_projects').select('project_id').where('runner_id', '=', runner_id),
  )
  if (!viewer.admin) query = query.where((eb) => projectsOfMember(viewer)(eb as never))
  return query.orderBy('projects.id').execute()
}

/** Null if the viewer is not a member of it. */
export async function groupOfRunner(db: Db, id: number, viewer: NonNullable<Viewer>) {
  let query = db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.name', 'routes.path as full_path'])
    .where('namespaces.id', '=', id)
  if (!viewer.admin) query = query.where((eb) => groupsOfMember(viewer.id)(eb as never))
  return (await query.executeTakeFirst()) ?? null
}
