/** Background work of imports of archives. */
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { arrivedBytes } from '../../../git/transfer/staged-import.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { removeIfGone } from '../../spaces/projects/projects.ts'
import { watched } from '../progress/progress.ts'
import { findImport, type ProjectImport, setImportAttempts } from './archive-imports.queries.ts'
import { beginImport, failImport } from './import-state.service.ts'
import { restore } from './restore.service.ts'

/**
 * Attempts are counted in the row of the import, so that the last one can record the failure: the queue itself reports nothing if it
 * gives up.
 */
const maxAttempts = 4
const attempts = 2 * maxAttempts

export const importArchiveJob = job<{ project_id: number }>('exports.import', {
  lane: 'slow',
  attempts,
  async handle(app, { project_id }, stopping) {
    const started = await beginImport(app, project_id)
    if (!started) return
    try {
      await tryImport(app, started, stopping)
    } catch (error) {
      if (stopping?.aborted) await setImportAttempts(app.db, project_id, started.attempts - 1)
      else if (!(await findImport(app.db, project_id))) return removeIfGone(app, project_id)
      else if (isFinal(error) || started.attempts >= maxAttempts) {
        app.log.warn({ err: error, project_id }, 'archive import failed')
        return failImport(app, project_id, isFinal(error) ? error.message : 'The import failed on the server. Its log tells why.')
      }
      throw error
    }
  },
})

async function tryImport(app: App, begun: ProjectImport, stopping: AbortSignal | undefined): Promise<void> {
  if (begun.attempts > maxAttempts) throw new Error('its process ended in the middle of it, each time')
  const importer = begun.user_id === null ? null : await findUser(app.db, String(begun.user_id))
  if (!importer || !mayAct(importer)) throw new Failure('forbidden', 'Who sent the archive has no account any more.')
  const { project_id } = begun
  await watched(
    app,
    {
      project_id,
      work: 'import',
      measure: async () => arrivedBytes(app.git.open(project_id)),
      total_bytes: null,
      isWanted: async () => (await findImport(app.db, project_id)) !== null,
      stopping,
    },
    (signal) => restore(app, begun, importer, signal),
  )
}

/** A retry would fail in the same way, and users may see the message. */
function isFinal(error: unknown): error is Failure {
  return error instanceof Failure && /^(invalid|forbidden|too_large)$/.test(error.code)
}

export const archiveImportJobs: AnyJob[] = [importArchiveJob]
