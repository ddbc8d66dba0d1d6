/** What other features ask of the row of a project alone. Nothing here leads to another feature, so any of them may ask. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { removeRepository } from '../../../git/repository/repository.ts'
import { projectExists } from './projects.queries.ts'
import { removeLater } from './removal.jobs.ts'

/** A project may be deleted, and its files with it, while its repository is made or filled: what came after that belongs to nobody. */
export async function removeIfGone(app: App, id: number): Promise<void> {
  if (await projectExists(app.db, id)) return
  if (await isBackupUnderWay(app.db)) await removeLater(app, id)
  else await removeRepository(app.git.open(id))
}

export { lockWithForks, recountForks } from './forks.queries.ts'
export { defaultBranchOf, lockProject, projectExists } from './projects.queries.ts'
