/** Background work of exports and imports of archives. */
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { type AnyJob, enqueue, job, removeDead } from '../../../queue/queue.ts'
import { removeForgotten } from '../../../store/temp-file.ts'
import { holdProject } from '../../spaces/projects/placement.service.ts'
import { removeIfGone } from '../../spaces/projects/rows.service.ts'
import { beginImport, failImport } from '../archive-imports/progress.service.ts'
import { restore } from '../archive-imports/restore.service.ts'
import { findExport, findImport, lockExport, type ProjectImport, queueExport, setImportAttempts, updateExport } from './exports.queries.ts'
import { beginExport, exportProject, failExport, removeOldExports } from './making.service.ts'
import { type ExportUpload, type ExportWish, mayHaveAddresses, type Sending, sendExport } from './sending.service.ts'

/** They are counted in their own rows, so that the last one can say that it was: the queue would give up in silence. */
const maxAttempts = 4
const attempts = 2 * maxAttempts

/** Who wants the archive sent on says so here alone: the address may hold a secret, which is gone with the job. */
export const exportJob = job<{ project_id: number } & ExportWish>('exports.export', {
  lane: 'slow',
  attempts,
  async handle(app, { project_id, description, upload }, stopping) {
    await makeExport(app, project_id, stopping)
    if (upload) await startSending(app, project_id, { description, upload })
  },
})

async function makeExport(app: App, project_id: number, stopping: AbortSignal | undefined): Promise<void> {
  const begun = await beginExport(app, project_id)
  if (!begun) return
  try {
    if (begun.attempts > maxAttempts) throw new Error('its process ended in the middle of it, each time')
    await exportProject(app, begun, stopping)
  } catch (error) {
    if (stopping?.aborted) await updateExport(app.db, project_id, { attempts: begun.attempts - 1 })
    else if (begun.attempts >= maxAttempts || !(await findExport(app.db, project_id))) {
      app.log.error({ err: error, project_id }, 'an export failed')
      return failExport(app, project_id)
    }
    throw error
  }
}

const lookAgain_ms = 30_000

/** Of several who want it sent each gets it: one after the other, as it is here no more once it was sent. */
async function startSending(app: App, project_id: number, wish: ExportWish & { upload: ExportUpload }): Promise<void> {
  const with_addresses = await mayHaveAddresses(app, wish.upload)
  await inTransaction(app.db, async (tx) => {
    if (!(await holdProject(tx, project_id).catch(nullIfMissing))) return
    const found = await lockExport(tx, project_id)
    if (found?.state === 'failed') return
    const isFit = found !== null && (with_addresses || !found.has_addresses)
    if (isFit && found.state === 'finished' && found.store_key !== null) {
      await updateExport(tx, project_id, { state: 'sending' })
      const sending = { project_id, upload: wish.upload, store_key: found.store_key }
      return enqueue(tx, sendExportJob, sending, { asked_by: wish.upload.asked_by })
    }
    // One that an administrator asked for meanwhile isn't for others: theirs is made after it.
    const isWrong = found?.state === 'finished' && !isFit
    if (!found || isWrong) await queueExport(tx, project_id, { description: wish.description ?? null, with_addresses })
    const isToBeMade = !found || isWrong || found.state === 'queued'
    await enqueue(tx, exportJob, { project_id, ...wish }, { delay_ms: isToBeMade ? 0 : lookAgain_ms })
  })
}

export const sendExportJob = job<Sending>('exports.send', {
  lane: 'remote',
  handle: sendExport,
})

export const importArchiveJob = job<{ project_id: number }>('exports.import', {
  lane: 'slow',
  attempts,
  async handle(app, { project_id }, stopping) {
    const begun = await beginImport(app, project_id)
    if (!begun) return
    try {
      await tryImport(app, begun, stopping)
    } catch (error) {
      if (stopping?.aborted) await setImportAttempts(app.db, project_id, begun.attempts - 1)
      else if (!(await findImport(app.db, project_id))) return removeIfGone(app, project_id)
      else if (isFinal(error) || begun.attempts >= maxAttempts) {
        app.log.warn({ err: error, project_id }, 'an import failed')
        return failImport(app, project_id, isFinal(error) ? error.message : 'The import failed on the server. Its log tells why.')
      }
      throw error
    }
  },
})

async function tryImport(app: App, begun: ProjectImport, stopping: AbortSignal | undefined): Promise<void> {
  if (begun.attempts > maxAttempts) throw new Error('its process ended in the middle of it, each time')
  const importer = begun.user_id === null ? null : await findUser(app.db, String(begun.user_id))
  if (importer?.state !== 'active') throw new Failure('forbidden', 'Who sent the archive has no account any more.')
  await restore(app, begun, importer, stopping)
}

/** Would be the same the next time, and may be told. */
function isFinal(error: unknown): error is Failure {
  return error instanceof Failure && /^(invalid|forbidden|too_large)$/.test(error.code)
}

const hour_ms = 60 * 60_000

export const removeOldExportsJob = job('exports.remove_old', {
  every_ms: hour_ms,
  async handle(app) {
    await removeOldExports(app)
    await removeDead(app.db, [exportJob, sendExportJob])
    await removeForgotten(app.config.home)
  },
})

export const exportJobs: AnyJob[] = [exportJob, sendExportJob, importArchiveJob, removeOldExportsJob]
