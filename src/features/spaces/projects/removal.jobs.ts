/** Removes the files of deleted projects once no backup needs them. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { removeRepository } from '../../../git/repository/repository.ts'
import { enqueue, job } from '../../../queue/queue.ts'

const later_ms = 60_000

export const removeRepositoryJob = job<{ project_id: number }>('projects.remove_repository', {
  async handle(app, { project_id }) {
    if (await isBackupUnderWay(app.db)) return removeLater(app, project_id)
    await removeRepository(app.git.open(project_id))
  },
})

/** The snapshot of a running backup may still contain the project. */
export function removeLater(app: App, project_id: number): Promise<void> {
  return enqueue(app.db, removeRepositoryJob, { project_id }, { unique_key: `remove repository ${project_id}`, delay_ms: later_ms })
}
