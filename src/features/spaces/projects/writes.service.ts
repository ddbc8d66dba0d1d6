/** Changes a project: its settings, its name and path, its visibility, and whether it is archived. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { enqueue } from '../../../queue/queue.ts'
import { assertValid } from '../../../validation.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { moveRoute } from '../../namespaces/namespaces.ts'
import { type Avatar, acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { setTopics } from '../topics/topics.ts'
import { followDefaultBranch } from './default-branch.service.ts'
import { levelErrors, levelsOf } from './feature-levels.ts'
import { lockWithForks } from './forks.queries.ts'
import { isWikiTaken, loadLockedPlace, loadLockedProject, movedMeanwhile, takenBy, wikiTaken } from './placement.service.ts'
import { chosen, type NewProject, type ProjectSettings, sentTopics } from './projects.columns.ts'
import { followDefaultBranchJob, healing_ms, measureProjectJob } from './projects.jobs.ts'
import { locateProject, sourceOf, updateProject } from './projects.queries.ts'
import { assertWellFormed } from './projects.rules.ts'
import { visibilityChangeError } from './visibility.service.ts'

/** Changes a project. Throws 400 with the errors. */
export async function changeProject(app: App, project: LocatedProject, change: NewProject, user: User): Promise<LocatedProject> {
  const { name = project.name, path = project.path, default_branch: wanted, avatar: sent, ...rest } = change
  const namespace = { id: project.namespace_id, full_path: project.namespace_full_path }
  assertWellFormed(namespace, { ...rest, name, path }, null)
  const default_branch = await newDefaultBranch(app, project, wanted)
  const settings = await readSettings(app.db)
  const avatar = await acceptAvatar(app, sent)
  try {
    await inTransaction(app.db, (tx) => write(tx, project, { ...change, avatar, rest, default_branch }, { settings, user }))
  } catch (error) {
    const place = { namespace_id: namespace.id, name, full_path: `${namespace.full_path}/${path}` }
    throw isUniqueViolation(error) ? await takenBy(app, place, project.id, error) : error
  }
  if (default_branch !== null) await followDefaultBranch(app, project.id)
  return locateProject(app.db, project.id)
}

/** Null if it doesn't change. Throws 400 if there is no such branch. */
async function newDefaultBranch(app: App, project: LocatedProject, wanted: string | undefined): Promise<string | null> {
  if (wanted === undefined || wanted === project.default_branch) return null
  if (await resolveCommit(app.git.open(project.id), `refs/heads/${wanted}`)) return wanted
  throw invalid({ base: [`Could not change HEAD: branch '${wanted}' does not exist`] })
}

type Accepted = Pick<NewProject, 'name' | 'path' | 'visibility'> & {
  avatar: Avatar | undefined
  rest: ProjectSettings
  /** Null if it doesn't change. */
  default_branch: string | null
}

async function write(tx: Tx, seen: LocatedProject, change: Accepted, by: { settings: Settings; user: User }): Promise<void> {
  const place = await loadLockedPlace(tx, seen.namespace_id)
  const source = change.visibility === undefined ? null : await lockSource(tx, seen.id)
  const locked = await loadLockedProject(tx, seen.id)
  if (locked.namespace_id !== place.id) throw movedMeanwhile()
  const { name = locked.name, path = locked.path, visibility = locked.visibility, avatar, rest, default_branch } = change
  const columns = chosen(rest, locked)
  assertValid(levelErrors({ ...levelsOf(locked), ...columns }))
  if (visibility !== locked.visibility) assertVisibilityAllowed(visibility, { ...by, place, source })
  await updateProject(tx, locked.id, { ...columns, ...(default_branch && { default_branch }), name, path, ...avatar, updated_at: now() })
  const topics = sentTopics(rest)
  if (topics) await setTopics(tx, locked.id, topics)
  await changeAvatar(tx, locked, avatar)
  if (path !== locked.path) await rename(tx, locked, `${place.full_path}/${path}`)
  else await publish(tx, { type: 'project_changed', project_id: locked.id })
  if (visibility !== locked.visibility) {
    await publish(tx, { type: 'project_visibility_changed', project_id: locked.id, before: locked.visibility, after: visibility })
  }
  if (default_branch === null) return
  await enqueue(tx, followDefaultBranchJob, { project_id: locked.id }, { delay_ms: healing_ms })
  await enqueue(tx, measureProjectJob, { project_id: locked.id })
}

/** Locks the source of the fork, and returns its visibility; null if the project isn't a fork. */
async function lockSource(tx: Db, id: number): Promise<{ visibility: Visibility } | null> {
  await lockWithForks(tx, [id])
  return sourceOf(tx, id)
}

function assertVisibilityAllowed(wanted: Visibility, where: Parameters<typeof visibilityChangeError>[1]): void {
  const fieldError = visibilityChangeError(wanted, where)
  if (fieldError !== null) throw invalid({ visibility_level: [fieldError] })
}

/** Changes only the path of a project. Fails on the unique index of routes if it is taken. */
export function renameProject(app: App, { id, namespace_id }: { id: number; namespace_id: number }, path: string): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const place = await loadLockedPlace(tx, namespace_id)
    const locked = await loadLockedProject(tx, id)
    if (locked.namespace_id !== place.id) throw movedMeanwhile()
    await updateProject(tx, id, { path, updated_at: now() })
    await rename(tx, locked, `${place.full_path}/${path}`)
  })
}

async function rename(tx: Tx, { id, full_path: before }: LocatedProject, full_path: string): Promise<void> {
  if (await isWikiTaken(tx, full_path, id)) throw wikiTaken()
  await moveRoute(tx, id, full_path)
  await publish(tx, { type: 'project_renamed', project_id: id, before, after: full_path })
}

/**
 * An archived project can be read and starred, and takes nothing in. Archived by itself, it stays so when its group is unarchived. Throws
 * 400 where it would take something in before it is deleted, or in an archived group.
 */
export async function archiveProject(app: App, { id, namespace_id }: LocatedProject, archived: boolean): Promise<LocatedProject> {
  await inTransaction(app.db, async (tx) => {
    const place = await loadLockedPlace(tx, namespace_id)
    const locked = await loadLockedProject(tx, id)
    if (locked.namespace_id !== place.id) throw movedMeanwhile()
    if (!archived && locked.marked_for_deletion_at !== null) throw invalid('The project is marked for deletion: restore it')
    if (!archived && place.archived) throw invalid('The project is archived with its group: unarchive that')
    await updateProject(tx, id, { archived, archived_by_group: false, updated_at: now() })
  })
  return locateProject(app.db, id)
}
