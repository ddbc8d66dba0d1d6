/** Exports of groups: requested by an owner, made by a job, and removed after a day. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { nullIfMissing } from '../../../failure.ts'
import { loadLockedGroup } from '../../spaces/groups/groups.ts'
import { abandon, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { kept_ms } from '../exports/exports.ts'
import { deleteGroupExport, type GroupExport, groupExportsEndedBefore, lockGroupExport, updateGroupExport } from './exports.queries.ts'
import { writeGroupArchive } from './write-group-archive.ts'

/** Counts the attempt; null if there is nothing left to do. */
export function beginGroupExport(app: App, group_id: number): Promise<GroupExport | null> {
  return inTransaction(app.db, async (tx) => {
    const found = await lockGroupExport(tx, group_id)
    if (found?.state !== 'queued') return null
    await updateGroupExport(tx, group_id, { attempts: found.attempts + 1 })
    return { ...found, attempts: found.attempts + 1 }
  })
}

/** Creates the archive and replaces the previous one. */
export async function exportGroup(
  app: App,
  { namespace_id: group_id, with_addresses, requested_at }: GroupExport,
  signal?: AbortSignal,
): Promise<void> {
  const archive = await writeGroupArchive(app, group_id, { with_addresses, signal })
  if (!archive) return
  try {
    const key = await storeDraft(app, 'exports', archive)
    await inTransaction(app.db, async (tx) => {
      // Removing the group collects its keys under this lock.
      const group = await loadLockedGroup(tx, group_id).catch(nullIfMissing)
      const found = group && (await lockGroupExport(tx, group_id))
      if (found?.state !== 'queued') return abandon(tx, key)
      if (!(await refer(tx, key))) throw new Error('it took longer than a day to store the archive')
      if (found.store_key) await abandon(tx, found.store_key)
      // Requested again since this one was started: that one is still to be created.
      const state = found.requested_at === requested_at ? 'finished' : 'queued'
      await updateGroupExport(tx, group_id, { state, store_key: key, size: archive.size, has_addresses: with_addresses })
    })
  } finally {
    await archive.close()
  }
}

export async function removeOldGroupExports(app: App): Promise<void> {
  const before = new Date(Date.now() - kept_ms).toISOString()
  for (const group_id of await groupExportsEndedBefore(app.db, before)) {
    await inTransaction(app.db, async (tx) => {
      const found = await lockGroupExport(tx, group_id)
      if (!found || found.state === 'queued' || found.updated_at >= before) return
      if (found.store_key) await abandon(tx, found.store_key)
      await deleteGroupExport(tx, group_id)
    })
  }
}
