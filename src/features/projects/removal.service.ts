/** Removing a project, and what only it referred to. */
import type { App } from '../../app.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { enqueue } from '../../queue/queue.ts'
import { lockFamilies, recountForks } from '../forks/counts.service.ts'
import { abandon } from '../objects/objects.service.ts'
import { removeRepositoryJob } from './projects.jobs.ts'
import { deleteProject, lockProject, storedKeysOf } from './projects.queries.ts'

/** Gone for everybody when this returns; its files follow by jobs of the same transaction. */
export function removeProject(app: App, id: number): Promise<void> {
  return inTransaction(app.db, (tx) => removeProjectIn(tx, id))
}

/** As `removeProject`, for a transaction that removes more than that. */
export function removeProjectIn(tx: Db, id: number): Promise<void> {
  return removeProjectsIn(tx, [id])
}

/** As `removeProjectIn`, for all that are removed together: they are held together. */
export async function removeProjectsIn(tx: Db, ids: number[]): Promise<void> {
  await lockFamilies(tx, ids)
  for (const id of ids) await removeHeld(tx, id)
}

async function removeHeld(tx: Db, id: number): Promise<void> {
  // Whoever stores something for the project holds it too: nothing is added between our look at its keys and its end.
  await lockProject(tx, id)
  for (const key of await storedKeysOf(tx, id)) await abandon(tx, key)
  const source = await deleteProject(tx, id)
  if (source !== null) await recountForks(tx, source)
  await enqueue(tx, removeRepositoryJob, { project_id: id })
}
