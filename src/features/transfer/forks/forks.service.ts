/** Rules of forks: who may create them, where, and the relations between projects. */
import { mayUse } from '../../../access/features.ts'
import { asId, canDownload, findProject, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, invalid, notFound } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { isMoreOpen } from '../../../validation.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import {
  canCreateIn,
  createProject,
  levelsOf,
  loadLockedProject,
  lockWithForks,
  type Place,
  recountForks,
} from '../../spaces/projects/projects.ts'
import { cannotBegin, reopenImport } from '../imports/imports.ts'
import { forkJob } from './forks.jobs.ts'
import { clearSource, findSource, isMadeOf, lockRelations, setSource } from './forks.queries.ts'

export interface NewFork {
  /** Id or full path of the target namespace, or what is a path even if it is a number; the user's own by default. */
  namespace?: string | { path: string } | undefined
  name?: string | undefined
  path?: string | undefined
}

/**
 * Creates a fork; a job copies the branches and tags. Throws 403 if the user may not read the code or fork it, 404 if they may not create
 * projects in the namespace, 409 if the fork can't be created there.
 */
export async function forkProject(app: App, user: User, source: ProjectAccess, { namespace, ...chosen }: NewFork): Promise<LocatedProject> {
  if (!canDownload(source, user) || !mayUse('forking', source)) throw forbidden()
  if (isBeingFilled(source.project)) throw new Failure('conflict', 'The repository of the project is still being imported')
  const place = await placeFor(app, user, namespace)
  const { id, name, path, description, visibility, shared_runners_enabled, lfs_enabled } = source.project
  const input = {
    name: chosen.name ?? name,
    path: chosen.path ?? path,
    ...(description !== null && { description }),
    visibility: visibilityOf(visibility, place, await readSettings(app.db)),
    shared_runners_enabled,
    lfs_enabled,
    // Features that are restricted to members in the source stay restricted.
    ...levelsOf(source.project),
  }
  try {
    return await createProject(app, user, place, input, {
      columns: { import_status: 'scheduled', forked_from_id: id },
      async begin(tx, project_id) {
        await recountForks(tx, id)
        await enqueue(tx, forkJob, { project_id, user_id: user.id, source_id: id })
      },
    })
  } catch (error) {
    throw asConflict(error)
  }
}

/** Restarts a failed copy. Throws 403 and 404 as `forkProject`, 409 if it can't be restarted. */
export async function restartFork(app: App, user: User, fork: LocatedProject): Promise<void> {
  const source = fork.forked_from_id === null ? null : await findProject(app.db, String(fork.forked_from_id), user)
  if (!source || !canDownload(source, user)) throw forbidden()
  await inTransaction(app.db, async (tx) => {
    if (!(await reopenImport(tx, fork.id, { import_url: null, after: ['failed'] }))) throw cannotBegin()
    await enqueue(tx, forkJob, { project_id: fork.id, user_id: user.id, source_id: source.project.id })
  })
}

/** A fork would miss the content that is still being copied. */
function isBeingFilled({ import_status }: LocatedProject): boolean {
  return import_status === 'scheduled' || import_status === 'started'
}

async function placeFor(app: App, user: User, namespace: NewFork['namespace']): Promise<Place> {
  const place = await findNamespace(app.db, namespace ? keyOf(namespace) : { owner_id: user.id })
  if (!place || !(await canCreateIn(app, user, place))) throw notFound('Target Namespace')
  return place
}

function keyOf(namespace: string | { path: string }): { id: number } | { path: string } {
  if (typeof namespace !== 'string') return namespace
  const id = asId(namespace)
  return id === null ? { path: namespace } : { id }
}

/** The widest visibility that the source, the group and the instance allow. */
function visibilityOf(source: Visibility, place: Place, { restricted_visibility_levels }: Settings): Visibility {
  const allowed = (['public', 'internal'] as const).find(
    (level) =>
      !isMoreOpen(level, source) &&
      !(place.kind === 'group' && isMoreOpen(level, place.visibility)) &&
      !restricted_visibility_levels.includes(level),
  )
  return allowed ?? 'private'
}

/** Clients of this endpoint expect 409 whenever a project can't be created. */
function asConflict(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'invalid') return new Failure('conflict', error.message, { cause: error, body: error.body })
  if (error.code === 'limit_reached') return new Failure('conflict', { limit_reached: [error.message] }, { cause: error })
  return error
}

/**
 * Makes a project the fork of another, without copying anything. Since the visibility of a fork is limited together with its source's, only
 * owners may do this, and the source must be at least as visible already. Throws 404 if the caller can't see the source, 409 if the project
 * is a fork already, 400 if it would be a fork of itself or is more visible than the source.
 */
export async function relateFork(app: App, user: User, project: LocatedProject, source: string): Promise<LocatedProject> {
  const { project: from } = await findProject(app.db, source, user)
  await inTransaction(app.db, async (tx) => {
    await lockRelations(tx)
    await lockWithForks(tx, [project.id, from.id])
    if (await isMadeOf(tx, from.id, project.id)) throw invalid({ forked_from_project_id: ['is invalid'] })
    // Read under the lock: their visibility may have changed while waiting for it.
    const [fork, locked] = [await loadLockedProject(tx, project.id), await loadLockedProject(tx, from.id)]
    if (isMoreOpen(fork.visibility, locked.visibility)) throw invalid({ visibility_level: [tooOpen(fork.visibility)] })
    if (!(await setSource(tx, project.id, from.id))) throw new Failure('conflict', 'Project already forked')
    await recountForks(tx, from.id)
  })
  return (await findProject(app.db, String(project.id), user)).project
}

function tooOpen(visibility: Visibility): string {
  return `${visibility} is not allowed since the fork source project has lower visibility.`
}

/** Removes the fork relation, which closes merge requests from this project to others; false if there is none. */
export async function endFork(app: App, user: User, project: LocatedProject): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    await lockWithForks(tx, [project.id])
    const source = await findSource(tx, project.id)
    if (source === null || !(await clearSource(tx, project.id, source))) return false
    await recountForks(tx, source)
    await publish(tx, { type: 'fork_ended', project_id: project.id, actor_id: user.id })
    return true
  })
}
