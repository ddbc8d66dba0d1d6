/** Starts and stops the import of an archive. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { deleteImport, findImport, lockImport, setImportAttempts, setImportStatus } from './archive-imports.queries.ts'

/** Counts the attempt; null if there is nothing left to do. */
export function beginImport(app: App, project_id: number) {
  return inTransaction(app.db, async (tx) => {
    const found = await lockImport(tx, project_id)
    if (!found) return null
    await setImportAttempts(tx, project_id, found.attempts + 1)
    await setImportStatus(tx, project_id, 'started')
    return { ...found, attempts: found.attempts + 1 }
  })
}

/** Records the reason, and deletes the archive. Only the importer can see what was imported so far. */
export function failImport(app: App, project_id: number, reason: string): Promise<void> {
  return inTransaction(app.db, async (tx: Db) => {
    const found = await lockImport(tx, project_id)
    if (!found) return
    await abandon(tx, found.store_key)
    await deleteImport(tx, project_id)
    await setImportStatus(tx, project_id, 'failed', reason)
  })
}

/** Ends an import; false if it has ended already. */
export async function stopArchiveImport(app: App, project_id: number, { username }: { username: string }): Promise<boolean> {
  if (!(await findImport(app.db, project_id))) return false
  await failImport(app, project_id, `Stopped by @${username}`)
  return true
}
