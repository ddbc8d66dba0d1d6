/** Creates the requested archives, and removes them after a day. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { nullIfMissing } from '../../../failure.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { abandon, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { writeArchive } from '../archive/archive.ts'
import { watched } from '../progress/progress.ts'
import {
  deleteExport,
  exportsEndedBefore,
  findExport,
  lockExport,
  type ProjectExport,
  projectRow,
  updateExport,
} from './exports.queries.ts'

/** Counts the attempt; null if there is nothing left to do. */
export function beginExport(app: App, project_id: number) {
  return inTransaction(app.db, async (tx) => {
    const found = await lockExport(tx, project_id)
    if (!found || (found.state !== 'queued' && found.state !== 'started')) return null
    await updateExport(tx, project_id, { state: 'started', attempts: found.attempts + 1 })
    return { ...found, attempts: found.attempts + 1 }
  })
}

/** Creates the archive and replaces the previous one. */
export async function exportProject(
  app: App,
  { project_id, description, with_addresses }: Pick<ProjectExport, 'project_id' | 'description' | 'with_addresses'>,
  signal?: AbortSignal,
): Promise<void> {
  const project = await projectRow(app.db, project_id)
  if (!project) return
  let written_bytes = 0
  const onWritten = (bytes: number) => {
    written_bytes = bytes
  }
  const archive = await watched(
    app,
    {
      project_id,
      work: 'export',
      measure: () => written_bytes,
      total_bytes: project.repository_size + project.lfs_objects_size,
      isWanted: () => isExportWanted(app, project_id),
      stopping: signal,
    },
    (ending) =>
      writeArchive(app, { ...project, description: description ?? project.description }, { with_addresses, signal: ending, onWritten }),
  )
  try {
    const key = await storeDraft(app, 'exports', archive)
    await inTransaction(app.db, async (tx) => {
      // Removing the project collects its keys under this lock.
      const project = await loadLockedProject(tx, project_id).catch(nullIfMissing)
      const found = project && (await lockExport(tx, project_id))
      // The project is gone, or somebody has stopped the export: nobody will download its archive.
      if (found?.state !== 'queued' && found?.state !== 'started') return abandon(tx, key)
      if (!(await refer(tx, key))) throw new Error('it took longer than a day to store the archive')
      if (found.store_key) await abandon(tx, found.store_key)
      // Requested again since this one was started: that one is still to be created.
      const state = found.state === 'queued' ? 'queued' : 'finished'
      await updateExport(tx, project_id, { state, store_key: key, size: archive.size, has_addresses: with_addresses })
    })
  } finally {
    await archive.close()
  }
}

export async function isExportWanted(app: App, project_id: number): Promise<boolean> {
  const state = (await findExport(app.db, project_id))?.state
  return state === 'queued' || state === 'started'
}

/** Stops a running export; an earlier archive is kept. False if none is running. */
export function stopExport(app: App, project_id: number): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const found = await lockExport(tx, project_id)
    if (found?.state !== 'queued' && found?.state !== 'started') return false
    if (found.store_key === null) await deleteExport(tx, project_id)
    else await updateExport(tx, project_id, { state: 'finished' })
    return true
  })
}

/** An earlier archive is kept. */
export function failExport(app: App, project_id: number): Promise<void> {
  return updateExport(app.db, project_id, { state: 'failed' })
}

/** How long an archive is kept. */
export const kept_ms = 24 * 60 * 60_000

export async function removeOldExports(app: App): Promise<void> {
  const before = new Date(Date.now() - kept_ms).toISOString()
  for (const project_id of await exportsEndedBefore(app.db, before)) {
    await inTransaction(app.db, async (tx) => {
      const found = await lockExport(tx, project_id)
      if (!found || found.updated_at >= before) return
      if (found.store_key) await abandon(tx, found.store_key)
      await deleteExport(tx, project_id)
    })
  }
}
