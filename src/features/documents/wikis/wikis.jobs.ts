/** Background work of wikis. */
import type { App } from '../../../app.ts'
import { isBackupUnderWay } from '../../../db/backups.ts'
import { keepInOrder, notesOf } from '../../../git/maintenance/housekeeping.ts'
import { repairRepository } from '../../../git/maintenance/repair.ts'
import { repositorySize } from '../../../git/refs/refs.ts'
import { removeRepository } from '../../../git/repository/repository.ts'
import { type AnyJob, enqueue, type Job, job } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { isUntidy, wanted } from '../../repository/housekeeping/housekeeping.ts'
import { setWikiSize, wikiById, writtenWikisAfter } from './wikis.queries.ts'

interface Payload {
  wiki_id: number
}

const later_ms = 60_000

/** Removes the files of a deleted wiki, once no backup needs them. */
export const removeWikiJob: Job<Payload> = job('wikis.remove_repository', {
  async handle(app, payload) {
    if (await isBackupUnderWay(app.db)) return enqueue(app.db, removeWikiJob, payload, { delay_ms: later_ms })
    await removeRepository(app.git.openWiki(payload.wiki_id))
  },
})

/** Measures the size after a push, for `statistics`. */
export const measureWikiJob: Job<Payload> = job('wikis.measure', {
  key: ({ wiki_id }) => `measure wiki ${wiki_id}`,
  async handle(app, { wiki_id }) {
    if (await wikiById(app.db, wiki_id)) await setWikiSize(app.db, wiki_id, await repositorySize(app.git.openWiki(wiki_id)))
  },
})

/** Housekeeping after pushes, by the settings for all repositories. */
export const wikiHousekeepingJob: Job<Payload> = job('wikis.housekeeping', {
  key: ({ wiki_id }) => `housekeeping wiki ${wiki_id}`,
  lane: 'slow',
  async handle(app, payload, stopping) {
    const [settings, wiki] = [await readSettings(app.db), await wikiById(app.db, payload.wiki_id)]
    if (!wiki || !settings.housekeeping_enabled) return
    const repo = app.git.openWiki(wiki.id)
    const minRepack = wanted(settings, (await notesOf(repo))?.push_count ?? 0, wiki.push_count)
    const options = { bitmaps: settings.housekeeping_bitmaps_enabled, minRepack, push_count: wiki.push_count, signal: stopping }
    const done = await keepInOrder(repo, options)
    if (done) app.log.info({ wiki_id: wiki.id, ...done }, 'housekeeping')
    else await enqueue(app.db, wikiHousekeepingJob, payload, { delay_ms: later_ms })
  },
})

const day_ms = 24 * 3_600_000
const wikisAtOnce = 200

/** As for projects (`housekeeping.round`): interrupted pushes leave files behind, and unreachable objects expire without a push. */
export const wikiRoundJob = job<object>('wikis.round', {
  lane: 'slow',
  every_ms: day_ms,
  async handle(app, _, stopping) {
    const { housekeeping_enabled: enabled, housekeeping_bitmaps_enabled: bitmaps } = await readSettings(app.db)
    let ids: number[] = []
    do {
      ids = await writtenWikisAfter(app.db, ids.at(-1) ?? 0, wikisAtOnce)
      for (const wiki_id of ids) {
        if (stopping?.aborted) throw new Error('the process ends')
        await inspectWiki(app, wiki_id, { enabled, bitmaps }).catch((error) =>
          app.log.error({ err: error, wiki_id }, 'housekeeping: repository not inspected'),
        )
      }
    } while (ids.length === wikisAtOnce)
  },
})

async function inspectWiki(app: App, wiki_id: number, settings: { enabled: boolean; bitmaps: boolean }): Promise<void> {
  const repo = app.git.openWiki(wiki_id)
  const repaired = await repairRepository(repo, app.config.default_branch)
  if (repaired && repaired.length > 0) app.log.warn({ wiki_id, repaired }, 'repository repaired')
  if (repaired && (await isUntidy(app, repo, { wiki_id }, settings))) await enqueue(app.db, wikiHousekeepingJob, { wiki_id })
}

export const wikiJobs: AnyJob[] = [removeWikiJob, measureWikiJob, wikiHousekeepingJob, wikiRoundJob]
