/** Removes a project, and what only it referred to. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { removeRepository } from '../../../git/repository/repository.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { lockWithForks, recountForks } from './forks.queries.ts'
import { deleteProjects, projectExists, storedKeysOf } from './projects.queries.ts'
import { removeLater } from './removal.jobs.ts'

/** Nobody can see the project when this returns; its files are removed by jobs of the same transaction. */
export function removeProject(app: App, id: number): Promise<void> {
  return inTransaction(app.db, (tx) => removeProjectIn(tx, id))
}

/** As `removeProject`, within a larger transaction. */
export function removeProjectIn(tx: Tx, id: number): Promise<void> {
  return removeProjectsIn(tx, [id])
}

/** Projects per statement. */
const atOnce = 500

/** As `removeProjectIn`, for several projects, which are locked together. */
export async function removeProjectsIn(tx: Tx, ids: number[]): Promise<void> {
  await lockWithForks(tx, ids)
  for (let at = 0; at < ids.length; at += atOnce) await removeHeld(tx, ids.slice(at, at + atOnce))
}

/** Whatever stores an object for a project locks the project too, so none is added between reading its keys and deleting it. */
async function removeHeld(tx: Tx, ids: number[]): Promise<void> {
  for (const project_id of ids) await publish(tx, { type: 'project_removed', project_id })
  await abandonAll(tx, await storedKeysOf(tx, ids))
  for (const source of await deleteProjects(tx, ids)) await recountForks(tx, source)
}

/** A project may be deleted, with its files, while its repository is created or filled: files written later belong to nobody. */
export async function removeIfGone(app: App, id: number): Promise<void> {
  if (await projectExists(app.db, id)) return
  if (await isBackupUnderWay(app.db)) await removeLater(app, id)
  else await removeRepository(app.git.open(id))
}
