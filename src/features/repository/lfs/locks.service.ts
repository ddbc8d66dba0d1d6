/** Locks of files that can't be merged. They are advisory: only clients that check them respect them. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { isWritablePath, pathParts } from '../../../git/objects/paths.ts'
import { whileProjectExists } from './lfs.service.ts'
import { deleteLock, insertLock, type LockFilter, type OwnedLock, selectLocks } from './locks.queries.ts'

export type { LockFilter, OwnedLock } from './locks.queries.ts'

/** Maximum number of locks per reply. */
const maxAtOnce = 1_000
const usualAtOnce = 100

/** PostgreSQL can't index longer ones. */
const longestPath_bytes = 2_048

/** A user who may push to the project. */
export interface Locker {
  project: { id: number }
  user: User
  level: number
}

/** The locks of a project, oldest first, and the id after which the next page begins; null if there is none. */
export async function listLocks(
  app: App,
  project_id: number,
  filter: LockFilter,
  limit = usualAtOnce,
): Promise<{ locks: OwnedLock[]; next: number | null }> {
  const max = Math.min(limit, maxAtOnce)
  const found = await selectLocks(app.db, project_id, filter, max + 1)
  const locks = found.slice(0, max)
  return { locks, next: found.length > max ? (locks.at(-1)?.id ?? null) : null }
}

/** Locks the file for the user; of several concurrent calls exactly one succeeds, with `made` true. */
export async function lockFile(app: App, { project, user }: Locker, path: string): Promise<{ lock: OwnedLock; made: boolean }> {
  if (!isWritablePath(path) || pathParts(path)?.join('/') !== path)
    throw new Failure('invalid', 'The path is not one of a file in a repository.')
  if (Buffer.byteLength(path) > longestPath_bytes) throw new Failure('invalid', `A lock's path has at most ${longestPath_bytes} bytes.`)
  const made = await whileProjectExists(app.db, project.id, () => insertLock(app.db, project.id, path, user.id))
  const [lock] = await selectLocks(app.db, project.id, { path }, 1)
  // It was unlocked between the two statements, so it is free now.
  return lock ? { lock, made } : lockFile(app, { project, user, level: 0 }, path)
}

/** Removes a lock. Throws 404 if there is none, 403 if it belongs to someone else, unless a maintainer forces it. */
export async function unlockFile(app: App, { project, user, level }: Locker, id: number, force: boolean): Promise<OwnedLock> {
  const [lock] = await selectLocks(app.db, project.id, { id }, 1)
  if (!lock) throw notFound('Lock')
  if (lock.user_id !== user.id) assertMayUnlock(lock, level, force)
  if (!(await deleteLock(app.db, id))) throw notFound('Lock')
  return lock
}

function assertMayUnlock({ path, user_name }: OwnedLock, level: number, force: boolean): void {
  if (!force) throw new Failure('forbidden', `${path} is locked by ${user_name}.`)
  if (!may('unlock_files', level))
    throw new Failure('forbidden', `${path} is locked by ${user_name}: only maintainers break the locks of others.`)
}
