/** Background work: creates exports of groups, and fills the wikis of imported ones. */
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { type AnyJob, job } from '../../../queue/queue.ts'
import { findGroupExport, updateGroupExport } from './exports.queries.ts'
import { beginGroupExport, exportGroup, removeOldGroupExports } from './exports.service.ts'
import { fillWiki, type WikiInArchive } from './wikis.service.ts'

/** Attempts are counted in the row of the export, as for those of projects. */
const maxAttempts = 4

export const exportGroupJob = job<{ group_id: number }>('exports.export_group', {
  lane: 'slow',
  attempts: 2 * maxAttempts,
  async handle(app, { group_id }, stopping) {
    const started = await beginGroupExport(app, group_id)
    if (!started) return
    try {
      if (started.attempts > maxAttempts) throw new Error('its process ended in the middle of it, each time')
      await exportGroup(app, started, stopping)
    } catch (error) {
      if (stopping?.aborted) await updateGroupExport(app.db, group_id, { attempts: started.attempts - 1 })
      else if ((await findGroupExport(app.db, group_id)) === null) return
      else if (started.attempts >= maxAttempts) {
        app.log.error({ err: error, group_id }, 'group export failed')
        return updateGroupExport(app.db, group_id, { state: 'failed' })
      }
      throw error
    }
  },
})

export const fillWikiJob = job<WikiInArchive>('exports.fill_wiki', {
  lane: 'slow',
  async handle(app: App, wiki, stopping) {
    const user = await findUser(app.db, String(wiki.user_id))
    try {
      if (user) await fillWiki(app, wiki, user, stopping)
    } catch (error) {
      // A retry would fail in the same way.
      if (!(error instanceof Failure && error.code === 'invalid')) throw error
      app.log.warn({ err: error, group_id: wiki.group_id }, 'wiki of an imported group left out')
    }
  },
})

const hour_ms = 60 * 60_000

export const removeOldGroupExportsJob = job('exports.remove_old_of_groups', { every_ms: hour_ms, handle: removeOldGroupExports })

export const groupArchiveJobs: AnyJob[] = [exportGroupJob, fillWikiJob, removeOldGroupExportsJob]
