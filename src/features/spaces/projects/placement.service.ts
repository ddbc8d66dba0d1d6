/** The place of a project: its namespace and its path, locked while they change. */
import { type LocatedProject, levelInGroup, locatedProjects } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { Namespace, User } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { findNamespace, lockNamespace } from '../../namespaces/namespaces.ts'
import { countProjectsOf, isNameTaken, isProjectAt, isRouteTaken } from './placement.queries.ts'
import { lockProject } from './projects.queries.ts'

export type Place = Namespace & { full_path: string }

/** The namespace for a new project of this user. Throws 400 if it doesn't exist or the user may not create projects in it. */
export async function namespaceFor(app: App, user: User, namespaceId: number | undefined): Promise<Place> {
  const namespace = await findNamespace(app.db, namespaceId === undefined ? { owner_id: user.id } : { id: namespaceId })
  if (!namespace || !(await canCreateIn(app, user, namespace))) throw invalid({ namespace: ['is not valid'] })
  return namespace
}

/** Owners of personal namespaces, and maintainers of groups; nobody where nothing is taken in. */
export async function canCreateIn(app: App, user: User, namespace: Place): Promise<boolean> {
  if (!takesIn(namespace)) return false
  if (user.admin || namespace.owner_id === user.id) return true
  return namespace.kind === 'group' && may('create_projects', await levelInGroup(app.db, namespace.id, user))
}

/** Not where a project would be deleted with its group soon, nor in an archived group. */
export function takesIn({ archived, marked_for_deletion_at }: Place): boolean {
  return !archived && marked_for_deletion_at === null
}

/**
 * Locks the namespace until the transaction ends, so that nobody moves it, counts its content or adds to it. Lock order: namespaces first,
 * then the source of a fork, then the project.
 */
export async function loadLockedPlace(tx: Db, id: number): Promise<Place> {
  await lockNamespace(tx, id)
  const place = await findNamespace(tx, { id })
  if (!place) throw notFound('Namespace')
  return place
}

/** Locks the project until the transaction ends. Throws 404 if it has been deleted. */
export async function loadLockedProject(tx: Db, id: number): Promise<LocatedProject> {
  await lockProject(tx, id)
  const locked = await locatedProjects(tx).where('projects.id', '=', id).executeTakeFirst()
  if (!locked) throw notFound('Project')
  return locked
}

/** Whether the user has reached the projects limit. Requires a lock on the namespace: two requests can't both create the last one. */
export async function hasTooMany(tx: Db, user: User, place: Place): Promise<boolean> {
  return place.owner_id === user.id && (await countProjectsOf(tx, user.id)) >= user.projects_limit
}

const wikiEnding = '.wiki'

/**
 * Whether the wiki of one project would have the URL of another project: `x.wiki` is that of `x`. Requires a lock on the namespace. Omit
 * `besides` for a project that doesn't exist yet.
 */
export function isWikiTaken(tx: Db, full_path: string, besides: number | null): Promise<boolean> {
  const isOne = full_path.toLowerCase().endsWith(wikiEnding)
  return isProjectAt(tx, isOne ? full_path.slice(0, -wikiEnding.length) : full_path + wikiEnding, besides)
}

const taken = ['has already been taken']

/** The error if `isWikiTaken`. */
export function wikiTaken(): Failure {
  return invalid({ name: taken })
}

/** The error for a name or a path that a unique index rejected. */
export async function takenBy(
  app: App,
  place: { namespace_id: number; name: string; full_path: string },
  besides: number | null,
  cause: unknown,
): Promise<Failure> {
  const fieldErrors = {
    ...((await isNameTaken(app.db, place.namespace_id, place.name, besides)) && { name: taken }),
    ...((await isRouteTaken(app.db, place.full_path, besides)) && { path: taken }),
  }
  return invalid(Object.keys(fieldErrors).length > 0 ? fieldErrors : { path: taken }, cause)
}

/** The error if another request moved the project between the first read and the lock. */
export function movedMeanwhile(): Failure {
  return new Failure('conflict', '409 The project was moved meanwhile. Please try again')
}
