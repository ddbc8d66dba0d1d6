/** SQL for projects. */
import type { Insertable, Updateable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import { projectsOfMember, projectsVisibleTo } from '../../access/visible.ts'
import { contains, type Db, type PageOf, pageOf } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import { prepared } from '../../db/prepared.ts'
import type { Project, ProjectTable, User, Visibility } from '../../db/tables.ts'
import type { UserInBrief } from '../users/users.present.ts'

export interface ProjectFilter {
  archived?: boolean | undefined
  visibility?: Visibility | undefined
  search?: string | undefined
  owned?: boolean | undefined
  membership?: boolean | undefined
  min_access_level?: number | undefined
  with_issues_enabled?: boolean | undefined
  with_merge_requests_enabled?: boolean | undefined
  namespace_id?: number | undefined
  order_by: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at'
  sort: 'asc' | 'desc'
}

/** The projects the viewer can see, filtered: two statements. */
export function listProjects(
  db: Db,
  viewer: User | null,
  filter: ProjectFilter,
  page: PageOf,
): Promise<{ rows: LocatedProject[]; total: number }> {
  let query = locatedProjects(db).where(projectsVisibleTo(viewer))
  const least = Math.max(filter.owned ? accessLevels.owner : 0, filter.membership ? accessLevels.guest : 0, filter.min_access_level ?? 0)
  // Anybody is a member of nothing.
  if (least > 0) query = query.where(projectsOfMember(viewer?.id ?? 0, least))
  const { search } = filter
  if (search)
    query = query.where((eb) =>
      eb.or([contains('projects.name', search), contains('projects.path', search), contains('projects.description', search)]),
    )
  if (filter.archived !== undefined) query = query.where('projects.archived', '=', filter.archived)
  if (filter.visibility) query = query.where('projects.visibility', '=', filter.visibility)
  if (filter.with_issues_enabled) query = query.where('projects.issues_enabled', '=', true)
  if (filter.with_merge_requests_enabled) query = query.where('projects.merge_requests_enabled', '=', true)
  if (filter.namespace_id !== undefined) query = query.where('projects.namespace_id', '=', filter.namespace_id)
  return pageOf(query.orderBy(`projects.${filter.order_by}`, filter.sort).orderBy('projects.id', filter.sort), page)
}

export function insertProject(db: Db, row: Insertable<ProjectTable>): Promise<Project> {
  return db.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function countPush(db: Db, id: number): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({ push_count: eb('push_count', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function updateProject(db: Db, id: number, change: Updateable<ProjectTable>): Promise<void> {
  await db.updateTable('projects').set(change).where('id', '=', id).execute()
}

export async function projectExists(db: Db, id: number): Promise<boolean> {
  return (await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function deleteProject(db: Db, id: number): Promise<void> {
  await db.deleteFrom('projects').where('id', '=', id).execute()
}

export async function moveRoute(db: Db, projectId: number, path: string): Promise<void> {
  await db.updateTable('routes').set({ path, path_key: path.toLowerCase() }).where('project_id', '=', projectId).execute()
}

export async function countProjectsOf(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function isNameTaken(db: Db, namespaceId: number, name: string, besides: number | null): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst()
  return found !== undefined && found.id !== besides
}

export async function isRouteTaken(db: Db, path: string, besides: number | null): Promise<boolean> {
  const found = await db.selectFrom('routes').select('project_id').where('path_key', '=', path.toLowerCase()).executeTakeFirst()
  return found !== undefined && (besides === null || found.project_id !== besides)
}

type Owner = UserInBrief & Pick<User, 'created_at'>

/** The owners of the personal namespaces among these: one statement. */
export async function ownersOf(db: Db, ids: number[]): Promise<Map<number, Owner>> {
  const rows = ids.length === 1 ? await ownerById(db, ids[0] as number) : await owners(db, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

const ownerById = prepared((db: Db, id: number) => ownerColumns(db).where('id', '=', id))

async function owners(db: Db, ids: number[]): Promise<Owner[]> {
  return ids.length === 0 ? [] : ownerColumns(db).where('id', 'in', ids).execute()
}

function ownerColumns(db: Db) {
  return db.selectFrom('users').select(['id', 'name', 'username', 'state', 'avatar_name', 'created_at'])
}

interface OwnLevel {
  project_id: number | null
  namespace_id: number | null
  access_level: number
}

/** The viewer's own memberships in these projects and in their namespaces: one statement. */
export async function ownLevels(db: Db, userId: number, projects: LocatedProject[]): Promise<OwnLevel[]> {
  const [first] = projects
  if (!first) return []
  const day = today()
  if (projects.length === 1) return ownLevelsInOne(db, userId, day, first.id, first.namespace_id)
  return ownMemberships(db, userId, day)
    .where((eb) =>
      eb.or([
        eb(
          'project_id',
          'in',
          projects.map(({ id }) => id),
        ),
        eb('namespace_id', 'in', [...new Set(projects.map(({ namespace_id }) => namespace_id))]),
      ]),
    )
    .execute()
}

const ownLevelsInOne = prepared((db: Db, userId: number, day: string, projectId: number, namespaceId: number) =>
  ownMemberships(db, userId, day).where((eb) => eb.or([eb('project_id', '=', projectId), eb('namespace_id', '=', namespaceId)])),
)

/** Those that have not run out by `day`: a prepared query takes it as an argument, or it would be the same day for ever. */
function ownMemberships(db: Db, userId: number, day: string) {
  return db
    .selectFrom('members')
    .select(['project_id', 'namespace_id', 'access_level'])
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
}
