/** Starting an import of an archive, and giving it up. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { deleteImport, findImport, lockImport, setImportAttempts, setImportStatus } from './archive-imports.queries.ts'

/** Counts the attempt; null where there is nothing to do any more. */
export function beginImport(app: App, project_id: number) {
  return inTransaction(app.db, async (tx) => {
    const found = await lockImport(tx, project_id)
    if (!found) return null
    await setImportAttempts(tx, project_id, found.attempts + 1)
    await setImportStatus(tx, project_id, 'started')
    return { ...found, attempts: found.attempts + 1 }
  })
}

/** Records the reason, and drops the archive. What was imported so far stays visible to the importer alone. */
export function failImport(app: App, project_id: number, reason: string): Promise<void> {
  return inTransaction(app.db, async (tx: Db) => {
    const found = await lockImport(tx, project_id)
    if (!found) return
    await abandon(tx, found.store_key)
    await deleteImport(tx, project_id)
    await setImportStatus(tx, project_id, 'failed', reason)
  })
}

/** Ends an import; false where it has ended already. */
export async function stopArchiveImport(app: App, project_id: number, { username }: { username: string }): Promise<boolean> {
  if (!(await findImport(app.db, project_id))) return false
  await failImport(app, project_id, `Stopped by @${username}`)
  return true
}
