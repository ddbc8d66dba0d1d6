/** What other features may do with namespaces and with the paths that lead to things. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { holdNamespace, updateNamespace } from './namespaces.queries.ts'
import { moveRoutes } from './routes.queries.ts'

/**
 * Part of a transaction: the namespace goes by another last part of its path, and all below it follows. Fails on the unique
 * route when the path is taken.
 */
export async function renameNamespace(tx: Db, id: number, path: string): Promise<void> {
  const held = await holdNamespace(tx, id)
  if (held === null || held.path === path) return
  await updateNamespace(tx, id, { path, updated_at: now() })
  await moveRoutes(tx, held, held.full_path.slice(0, held.full_path.lastIndexOf('/') + 1) + path)
}

export {
  findNamespace,
  fullNamesOf,
  holdNamespace,
  insertNamespace,
  lockNamespace,
  updateNamespace,
} from './namespaces.queries.ts'
export { insertRoute, moveRoute } from './routes.queries.ts'
