/** Removing a project, and what only it referred to. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { removeRepository } from '../../../git/repository/repository.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { lockWithForks, recountForks } from './forks.queries.ts'
import { deleteProjects, projectExists, storedKeysOf } from './projects.queries.ts'
import { removeLater } from './removal.jobs.ts'

/** Gone for everybody when this returns; its files follow by jobs of the same transaction. */
export function removeProject(app: App, id: number): Promise<void> {
  return inTransaction(app.db, (tx) => removeProjectIn(tx, id))
}

/** As `removeProject`, for a transaction that removes more than that. */
export function removeProjectIn(tx: Tx, id: number): Promise<void> {
  return removeProjectsIn(tx, [id])
}

/** So many go by one statement. */
const atOnce = 500

/** As `removeProjectIn`, for all that are removed together: they are locked together. */
export async function removeProjectsIn(tx: Tx, ids: number[]): Promise<void> {
  await lockWithForks(tx, ids)
  for (let at = 0; at < ids.length; at += atOnce) await removeHeld(tx, ids.slice(at, at + atOnce))
}

/** Everything that stores objects for a project locks it too, so none is added between reading its keys and deleting it. */
async function removeHeld(tx: Tx, ids: number[]): Promise<void> {
  for (const project_id of ids) await publish(tx, { type: 'project_removed', project_id })
  await abandonAll(tx, await storedKeysOf(tx, ids))
  for (const source of await deleteProjects(tx, ids)) await recountForks(tx, source)
}

/** A project may be deleted, and its files with it, while its repository is made or filled: what came after that belongs to nobody. */
export async function removeIfGone(app: App, id: number): Promise<void> {
  if (await projectExists(app.db, id)) return
  if (await isBackupUnderWay(app.db)) await removeLater(app, id)
  else await removeRepository(app.git.open(id))
}
