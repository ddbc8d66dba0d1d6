/** Background work: creates and uploads exports. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type AnyJob, enqueue, job, removeDead } from '../../../queue/queue.ts'
import { removeForgotten, tempFolder } from '../../../store/temp-file.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { beginExport, exportProject, failExport, isExportWanted, removeOldExports } from './create-export.service.ts'
import { findExport, lockExport, queueExport, updateExport } from './exports.queries.ts'
import { type ExportRequest, type ExportUpload, type Sending, sendExport, whatTheyMayHave } from './send-export.service.ts'

/**
 * Attempts are counted in the row of the export, so that the last one can record the failure: the queue itself reports nothing when it
 * gives up.
 */
const maxAttempts = 4
const attempts = 2 * maxAttempts

/** The upload URL is only in the job: it may contain a secret, which is deleted with the job. */
export const exportJob = job<{ project_id: number } & ExportRequest>('exports.export', {
  lane: 'slow',
  attempts,
  async handle(app, { project_id, description, upload }, stopping) {
    await makeExport(app, project_id, stopping)
    if (upload) await startSending(app, project_id, { description, upload })
  },
})

async function makeExport(app: App, project_id: number, stopping: AbortSignal | undefined): Promise<void> {
  const started = await beginExport(app, project_id)
  if (!started) return
  try {
    if (started.attempts > maxAttempts) throw new Error('its process ended in the middle of it, each time')
    await exportProject(app, started, stopping)
  } catch (error) {
    if (!stopping?.aborted && !(await isExportWanted(app, project_id))) return
    if (stopping?.aborted) await updateExport(app.db, project_id, { attempts: started.attempts - 1 })
    else if (started.attempts >= maxAttempts || !(await findExport(app.db, project_id))) {
      app.log.error({ err: error, project_id }, 'export failed')
      return failExport(app, project_id)
    }
    throw error
  }
}

const lookAgain_ms = 30_000

/** Several upload requests are handled one after the other, since an archive is removed after its upload. */
async function startSending(app: App, project_id: number, request: ExportRequest & { upload: ExportUpload }): Promise<void> {
  const allowed = await whatTheyMayHave(app, project_id, request.upload)
  if (!allowed) return app.log.info({ project_id }, 'export not uploaded: who asked for it may no longer export the project')
  const with_addresses = allowed.addresses
  await inTransaction(app.db, async (tx) => {
    if (!(await loadLockedProject(tx, project_id).catch(nullIfMissing))) return
    const found = await lockExport(tx, project_id)
    if (found?.state === 'failed') return
    const isFit = found !== null && (with_addresses || !found.has_addresses)
    if (isFit && found.state === 'finished' && found.store_key !== null) {
      await updateExport(tx, project_id, { state: 'sending' })
      const sending = { project_id, upload: request.upload, store_key: found.store_key }
      return enqueue(tx, sendExportJob, sending, { asked_by: request.upload.asked_by })
    }
    // An archive that an administrator requested meanwhile isn't for others: theirs is created afterwards.
    const isWrong = found?.state === 'finished' && !isFit
    if (!found || isWrong) await queueExport(tx, project_id, { description: request.description ?? null, with_addresses })
    const isPending = !found || isWrong || found.state === 'queued'
    await enqueue(tx, exportJob, { project_id, ...request }, { delay_ms: isPending ? 0 : lookAgain_ms })
  })
}

export const sendExportJob = job<Sending>('exports.send', {
  lane: 'remote',
  handle: sendExport,
})

const hour_ms = 60 * 60_000

export const removeOldExportsJob = job('exports.remove_old', {
  every_ms: hour_ms,
  async handle(app) {
    await removeOldExports(app)
    await removeDead(app.db, [exportJob, sendExportJob])
    await removeForgotten(tempFolder(app.config.home))
    await app.store.removeForgotten()
  },
})

export const exportJobs: AnyJob[] = [exportJob, sendExportJob, removeOldExportsJob]
