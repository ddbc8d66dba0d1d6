/** Operations on namespaces and routes for other features. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { assertValid } from '../../validation.ts'
import { findLockedNamespace, moveNamespace, updateNamespace } from './namespaces.queries.ts'
import { fullPathError } from './paths.ts'
import { longestPathIn, moveProjectRoute, moveRoutes } from './routes.queries.ts'

/**
 * Inside a transaction: renames the last part of the namespace's path, and with it the paths of everything below. Throws 400 if a path
 * becomes too long. Fails on the unique route if the path is taken.
 */
export async function renameNamespace(tx: Db, id: number, path: string): Promise<void> {
  const locked = await findLockedNamespace(tx, id)
  if (locked === null || locked.path === path) return
  const growth = path.length - locked.path.length
  if (growth > 0) assertNotTooLong((await longestPathIn(tx, locked)) + growth)
  await updateNamespace(tx, id, { path, updated_at: now() })
  await moveRoutes(tx, locked, locked.full_path.slice(0, locked.full_path.lastIndexOf('/') + 1) + path)
}

/**
 * Inside a transaction that has locked both: moves the group below another one, or to the top level, and updates the paths. Throws 400 if a
 * path becomes too long. Fails on the unique route if the path is taken.
 */
export async function transferNamespace(tx: Db, group: LocatedNamespace, parent: LocatedNamespace | null): Promise<void> {
  const path = parent ? `${parent.full_path}/${group.path}` : group.path
  assertNotTooLong((await longestPathIn(tx, group)) + path.length - group.full_path.length)
  await moveNamespace(tx, group.id, parent?.id ?? null)
  await moveRoutes(tx, group, path)
}

type LocatedNamespace = { id: number; path: string; full_path: string }

/**
 * Inside a transaction that has locked the project: changes its path. Throws 400 if the path is too long. Fails on the unique route if it
 * is taken.
 */
export async function moveRoute(tx: Db, projectId: number, path: string): Promise<void> {
  assertNotTooLong(path.length)
  await moveProjectRoute(tx, projectId, path)
}

function assertNotTooLong(length: number): void {
  assertValid({ path: fullPathError(length) })
}
