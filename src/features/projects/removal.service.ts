/** Removing a project, and what only it referred to. */
import type { App } from '../../app.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { enqueue } from '../../queue/queue.ts'
import { lockSourceOf, recountForks } from '../forks/counts.service.ts'
import { abandon } from '../objects/objects.service.ts'
import { removeRepositoryJob } from './projects.jobs.ts'
import { deleteProject, lockProject, storedKeysOf } from './projects.queries.ts'

/** Gone for everybody when this returns; its files follow by jobs of the same transaction. */
export function removeProject(app: App, id: number): Promise<void> {
  return inTransaction(app.db, (tx) => removeProjectIn(tx, id))
}

/** As `removeProject`, for a transaction that removes more than that. */
export async function removeProjectIn(tx: Db, id: number): Promise<void> {
  const source = await lockSourceOf(tx, id)
  // Whoever stores something for the project holds it too: nothing is added between our look at its keys and its end.
  await lockProject(tx, id)
  for (const key of await storedKeysOf(tx, id)) await abandon(tx, key)
  await deleteProject(tx, id)
  if (source !== null) await recountForks(tx, source)
  await enqueue(tx, removeRepositoryJob, { project_id: id })
}
