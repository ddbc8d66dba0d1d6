/** The rules of projects: where they may be made, what they may be called, and what follows from a change. */
import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import { findProject, type LocatedProject, levelInGroup, locatedProjects } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import { type Db, inTransaction, isTaken } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Namespace, ProjectTable, User, Visibility } from '../../db/tables.ts'
import { Failure, invalid } from '../../failure.ts'
import { resolveCommit } from '../../git/read.ts'
import { setHead } from '../../git/refs.ts'
import { createRepository } from '../../git/repository.ts'
import { enqueue } from '../../queue/queue.ts'
import { insertMember } from '../members/members.service.ts'
import { findNamespace, insertRoute, lockNamespace } from '../namespaces/namespaces.service.ts'
import { pathFromName } from '../namespaces/paths.ts'
import { createRepositoryJob, measureProjectJob, removeRepositoryJob } from './projects.jobs.ts'
import { presentProjects } from './projects.present.ts'
import {
  countProjectsOf,
  countPush,
  deleteProject,
  insertProject,
  isNameTaken,
  isRouteTaken,
  listProjects,
  moveRoute,
  updateProject,
} from './projects.queries.ts'
import { refuseMalformed } from './projects.rules.ts'
import type { ProjectAny } from './projects.schema.ts'

/** The settings of a project that a caller may choose. */
export type ProjectSettings = {
  [K in Flag]?: boolean | undefined
} & {
  description?: string | undefined
  visibility?: Visibility | undefined
  merge_method?: ProjectTable['merge_method'] | undefined
  ci_config_path?: string | undefined
  tag_list?: string[] | undefined
  /** What clients call `public_jobs` when they write it. */
  public_builds?: boolean | undefined
}

type Flag = {
  [K in keyof ProjectTable]: ProjectTable[K] extends boolean ? K : never
}[keyof ProjectTable]

export interface NewProject extends ProjectSettings {
  name?: string | undefined
  path?: string | undefined
  default_branch?: string | undefined
}

/** A repository that isn't there by then never will be. */
const healing_ms = 60_000

type Place = Namespace & { full_path: string }

/** The namespace new projects of this user go to. Throws 400 when it isn't there or he may not create projects in it. */
export async function namespaceFor(app: App, user: User, namespaceId: number | undefined): Promise<Place> {
  const namespace = await findNamespace(app.db, namespaceId === undefined ? { owner_id: user.id } : { id: namespaceId })
  if (!namespace || !(await canCreateIn(app, user, namespace))) throw invalid({ namespace: ['is not valid'] })
  return namespace
}

/** Owners of personal namespaces, and maintainers of groups. */
export async function canCreateIn(app: App, user: User, namespace: Place): Promise<boolean> {
  if (user.admin || namespace.owner_id === user.id) return true
  return namespace.kind === 'group' && (await levelInGroup(app.db, namespace.id, user)) >= accessLevels.maintainer
}

/** Creates a project and its empty repository. Throws 400 with what is wrong, 403 when the creator has too many. */
export async function createProject(app: App, creator: User, namespace: Place, input: NewProject): Promise<LocatedProject> {
  const path = input.path ?? pathFromName(input.name ?? '')
  const name = input.name ?? path
  const default_branch = input.default_branch ?? app.config.default_branch
  refuseMalformed(namespace, { ...input, name, path, default_branch })
  const id = await insertWithPlace(app, creator, namespace, { ...input, name, path, default_branch })
  try {
    await createRepository(app.git.open(id), default_branch)
  } catch (error) {
    await removeProject(app, id)
    throw error
  }
  return locatedProjects(app.db).where('projects.id', '=', id).executeTakeFirstOrThrow()
}

async function insertWithPlace(
  app: App,
  creator: User,
  namespace: Place,
  input: NewProject & { name: string; path: string; default_branch: string },
): Promise<number> {
  const at = now()
  const full_path = `${namespace.full_path}/${input.path}`
  try {
    return await inTransaction(app.db, async (tx) => {
      await refuseTooMany(tx, creator, namespace)
      const row = { ...chosen(input), name: input.name, path: input.path, created_at: at, updated_at: at, last_activity_at: at }
      const { id } = await insertProject(tx, { ...blank(), ...row, namespace_id: namespace.id, creator_id: creator.id })
      await insertRoute(tx, full_path, { project_id: id })
      if (namespace.kind === 'user') {
        await insertMember(
          tx,
          { project_id: id },
          { user_id: namespace.owner_id ?? creator.id, access_level: accessLevels.maintainer, expires_at: null },
        )
      }
      // For the case that the process ends before it has made the repository itself.
      await enqueue(tx, createRepositoryJob, { project_id: id, default_branch: input.default_branch }, { delay_ms: healing_ms })
      return id
    })
  } catch (error) {
    throw isTaken(error) ? await takenBy(app, namespace.id, input.name, full_path, null, error) : error
  }
}

/** Changes a project. Throws 400 with what is wrong. */
export async function changeProject(app: App, project: LocatedProject, change: NewProject, viewer: User): Promise<LocatedProject> {
  const { name = project.name, path = project.path, default_branch, ...settings } = change
  const namespace = (await findNamespace(app.db, { id: project.namespace_id })) as Place
  refuseMalformed(namespace, { ...settings, name, path })
  const repo = app.git.open(project.id)
  const newDefault = default_branch !== undefined && default_branch !== project.default_branch
  if (newDefault && !(await resolveCommit(repo, `refs/heads/${default_branch}`))) {
    throw invalid({ base: [`Could not change HEAD: branch '${default_branch}' does not exist`] })
  }
  const full_path = `${namespace.full_path}/${path}`
  try {
    await inTransaction(app.db, async (tx) => {
      await updateProject(tx, project.id, {
        ...chosen(change),
        name,
        path,
        ...(newDefault && { default_branch }),
        updated_at: now(),
      })
      if (path !== project.path) await moveRoute(tx, project.id, full_path)
    })
  } catch (error) {
    throw isTaken(error) ? await takenBy(app, namespace.id, name, full_path, project.id, error) : error
  }
  if (newDefault) await setHead(repo, default_branch)
  return (await findProject(app.db, String(project.id), viewer)).project
}

/** Gone for everybody when this returns; its files follow by a job of the same transaction. */
export async function removeProject(app: App, id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await deleteProject(tx, id)
    await enqueue(tx, removeRepositoryJob, { project_id: id })
  })
}

/** The most projects shown inside their group. */
const mostInGroup = 100

export async function projectsOfGroup(app: App, groupId: number, viewer: User | null): Promise<Array<Static<typeof ProjectAny>>> {
  const { rows } = await listProjects(
    app.db,
    viewer,
    { namespace_id: groupId, order_by: 'created_at', sort: 'desc' },
    { limit: mostInGroup, offset: 0 },
  )
  return presentProjects(app, rows, viewer)
}

/** Counts under a lock: two creations at once can't both be the last that is allowed. */
async function refuseTooMany(tx: Db, creator: User, namespace: Place): Promise<void> {
  const { projects_limit } = creator
  if (namespace.owner_id !== creator.id) return
  await lockNamespace(tx, namespace.id)
  if ((await countProjectsOf(tx, creator.id)) < projects_limit) return
  const said =
    projects_limit === 0
      ? 'Personal project creation is not allowed. Please contact your administrator with questions'
      : `Your project limit is ${projects_limit} projects! Please contact your administrator to increase it`
  throw new Failure('limit_reached', said, { body: { error: [said] } })
}

async function takenBy(
  app: App,
  namespaceId: number,
  name: string,
  path: string,
  besides: number | null,
  cause: unknown,
): Promise<Failure> {
  const said = ['has already been taken']
  const complaints = {
    ...((await isNameTaken(app.db, namespaceId, name, besides)) && { name: said }),
    ...((await isRouteTaken(app.db, path, besides)) && { path: said }),
  }
  return invalid(Object.keys(complaints).length > 0 ? complaints : { path: said }, cause)
}

/** The columns a caller chose, and no others. */
function chosen(input: NewProject) {
  const { name: _, path: __, default_branch: ___, tag_list, public_builds, ...columns } = input
  const settings = { ...columns, public_jobs: columns.public_jobs ?? public_builds }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  return { ...given, ...(tag_list && { tag_list: JSON.stringify([...new Set(tag_list.map((tag) => tag.trim()).filter(Boolean))].sort()) }) }
}

function blank() {
  return {
    description: null,
    visibility: 'private' as const,
    default_branch: null,
    archived: false,
    issues_enabled: true,
    merge_requests_enabled: true,
    jobs_enabled: true,
    wiki_enabled: true,
    snippets_enabled: true,
    container_registry_enabled: false,
    shared_runners_enabled: true,
    lfs_enabled: true,
    public_jobs: true,
    request_access_enabled: false,
    resolve_outdated_diff_discussions: false,
    printing_merge_request_link_enabled: true,
    only_allow_merge_if_pipeline_succeeds: false,
    only_allow_merge_if_all_discussions_are_resolved: false,
    merge_method: 'merge' as const,
    ci_config_path: null,
    tag_list: '[]',
    runners_token: randomBytes(15).toString('base64url'),
    star_count: 0,
    forks_count: 0,
    open_issues_count: 0,
    commit_count: 0,
    repository_size: 0,
    readme_path: null,
  }
}

/** What a push means to its project: part of the transaction that records it. */
export async function touchAfterPush(
  tx: Db,
  id: number,
  found: { default_branch: string | null; readme_path: string | null },
): Promise<void> {
  const at = now()
  await updateProject(tx, id, { ...found, last_activity_at: at, updated_at: at })
  await countPush(tx, id)
  await enqueue(tx, measureProjectJob, { project_id: id }, { unique_key: `measure ${id}` })
}
