/** The rules of projects: where they may be made, what they may be called, and what follows from a change. */
import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import { findProject, type LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import { inTransaction, isTaken } from '../../db/database.ts'
import type { Namespace, ProjectTable, User, Visibility } from '../../db/tables.ts'
import { Failure, invalid } from '../../failure.ts'
import { resolveCommit } from '../../git/read.ts'
import { setHead } from '../../git/refs.ts'
import { createRepository } from '../../git/repository.ts'
import { enqueue } from '../../queue/queue.ts'
import { insertMember } from '../members/members.service.ts'
import { findNamespace, insertRoute } from '../namespaces/namespaces.service.ts'
import { complainOfPath, pathFromName } from '../namespaces/paths.ts'
import { removeRepositoryJob } from './projects.jobs.ts'
import { presentProjects } from './projects.present.ts'
import {
  countProjectsOf,
  deleteProject,
  insertProject,
  isNameTaken,
  isRouteTaken,
  listProjects,
  moveRoute,
  updateProject,
} from './projects.queries.ts'
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
}

type Flag = {
  [K in keyof ProjectTable]: ProjectTable[K] extends boolean ? K : never
}[keyof ProjectTable]

export interface NewProject extends ProjectSettings {
  name?: string | undefined
  path?: string | undefined
  default_branch?: string | undefined
}

type Place = Namespace & { full_path: string }

/** The namespace new projects of this user go to. Throws 400 when it isn't there or he may not create projects in it. */
export async function namespaceFor(app: App, user: User, namespaceId: number | undefined): Promise<Place> {
  const own = await app.db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirst()
  const namespace = await findNamespace(app.db, { id: namespaceId ?? own?.id ?? 0 })
  if (!namespace || !(await canCreateIn(app, user, namespace))) throw invalid({ namespace: ['is not valid'] })
  return namespace
}

/** Owners of personal namespaces, and maintainers of groups. */
export async function canCreateIn(app: App, user: User, namespace: Place): Promise<boolean> {
  if (user.admin || namespace.owner_id === user.id) return true
  if (namespace.kind !== 'group') return false
  const member = await app.db
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .select('members.access_level')
    .where('namespace_ancestors.namespace_id', '=', namespace.id)
    .where('members.user_id', '=', user.id)
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', new Date().toISOString().slice(0, 10))]))
    .orderBy('members.access_level', 'desc')
    .executeTakeFirst()
  return (member?.access_level ?? 0) >= accessLevels.maintainer
}

/** Creates a project and its empty repository. Throws 400 with what is wrong, 403 when the creator has too many. */
export async function createProject(app: App, creator: User, namespace: Place, input: NewProject): Promise<LocatedProject> {
  const path = input.path ?? pathFromName(input.name ?? '')
  const name = input.name ?? path
  refuseMalformed(namespace, { ...input, name, path })
  await refuseTooMany(app, creator, namespace)
  const id = await insertWithPlace(app, creator, namespace, { ...input, name, path })
  try {
    await createRepository(app.git.open(id), input.default_branch ?? app.config.default_branch)
  } catch (error) {
    await removeProject(app, id)
    throw error
  }
  return (await findProject(app.db, String(id), creator)).project
}

async function insertWithPlace(
  app: App,
  creator: User,
  namespace: Place,
  input: NewProject & { name: string; path: string },
): Promise<number> {
  const now = new Date().toISOString()
  const full_path = `${namespace.full_path}/${input.path}`
  try {
    return await inTransaction(app.db, async (tx) => {
      const row = { ...chosen(input), name: input.name, path: input.path, created_at: now, updated_at: now, last_activity_at: now }
      const { id } = await insertProject(tx, { ...blank(), ...row, namespace_id: namespace.id, creator_id: creator.id })
      await insertRoute(tx, full_path, { project_id: id })
      if (namespace.kind === 'user') {
        await insertMember(
          tx,
          { project_id: id },
          { user_id: namespace.owner_id ?? creator.id, access_level: accessLevels.maintainer, expires_at: null },
        )
      }
      return id
    })
  } catch (error) {
    throw isTaken(error) ? await takenBy(app, namespace.id, input.name, full_path, null, error) : error
  }
}

/** Changes a project. Throws 400 with what is wrong. */
export async function changeProject(app: App, project: LocatedProject, change: NewProject, viewer: User): Promise<LocatedProject> {
  const { name = project.name, path = project.path } = change
  const namespace = (await findNamespace(app.db, { id: project.namespace_id })) as Place
  refuseMalformed(namespace, { ...change, name, path })
  const repo = app.git.open(project.id)
  const { default_branch } = change
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
        updated_at: new Date().toISOString(),
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

const openness = { private: 0, internal: 1, public: 2 }

function refuseMalformed(namespace: Place, input: NewProject & { name: string; path: string }): void {
  const complaints: Record<string, string[]> = {}
  const complaint = complainOfPath(input.path, 'project', namespace.full_path)
  if (complaint) complaints.path = [complaint]
  if (input.name.trim() === '') complaints.name = ["can't be blank"]
  else if (!/^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{M}\p{Pd}\p{Extended_Pictographic}_. ]*$/u.test(input.name)) {
    complaints.name = ["can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."]
  }
  if (namespace.kind === 'group' && input.visibility && openness[input.visibility] > openness[namespace.visibility]) {
    complaints.visibility_level = [`${input.visibility} is not allowed in a ${namespace.visibility} group.`]
  }
  if (Object.keys(complaints).length > 0) throw invalid(complaints)
}

async function refuseTooMany(app: App, creator: User, namespace: Place): Promise<void> {
  if (namespace.owner_id !== creator.id || (await countProjectsOf(app.db, creator.id)) < creator.projects_limit) return
  throw new Failure(
    'limit_reached',
    `Your project limit is ${creator.projects_limit} projects! Please contact your administrator to increase it`,
  )
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
  const { name: _, path: __, default_branch: ___, tag_list, ...columns } = input
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
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
