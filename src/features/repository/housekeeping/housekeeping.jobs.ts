/** Housekeeping in the background: of one project after pushes or on request, and of all of them once a day. */
import type { App } from '../../../app.ts'
import { alone, keepInOrder, notesOf, planFor, type Repack } from '../../../git/maintenance/housekeeping.ts'
import { inspectStorage } from '../../../git/maintenance/repository-stats.ts'
import { removeStaleFiles } from '../../../git/maintenance/stale-files.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { defaultBranchOf, repairProject } from '../../spaces/projects/projects.ts'
import { projectIdsAfter, pushCountOf } from './housekeeping.queries.ts'

interface Payload {
  project_id: number
  /** Requested by a user: runs whether or not it is needed, and whatever the settings say. */
  asked?: boolean
}

/** Pushes often come in bursts, for which one run is enough. */
export const afterPush_ms = 15_000

/** Delay if another process is doing housekeeping in the same repository. */
const later_ms = 60_000

export const housekeepingJob: Job<Payload> = job('housekeeping.project', {
  key: keyOf,
  lane: 'slow',
  async handle(app, payload, stopping) {
    const { project_id, asked = false } = payload
    const settings = await readSettings(app.db)
    const push_count = await pushCountOf(app.db, project_id)
    if (push_count === null || (!asked && !settings.housekeeping_enabled)) return
    const repo = app.git.open(project_id)
    const since = (await notesOf(repo))?.push_count ?? 0
    const minRepack = wanted(settings, since, push_count)
    const bitmaps = settings.housekeeping_bitmaps_enabled
    const options = { bitmaps, minRepack: asked && minRepack === 'none' ? 'incremental' : minRepack, push_count, signal: stopping } as const
    const done = await keepInOrder(repo, options)
    if (done) app.log.info({ project_id, ...done }, 'housekeeping')
    else await enqueue(app.db, housekeepingJob, payload, { delay_ms: later_ms })
  },
})

/** One run covers all waiting requests of its kind. */
export function keyOf({ project_id, asked }: Payload): string {
  return `${asked ? 'asked ' : ''}housekeeping ${project_id}`
}

/** The repack that the periods in the settings require, given the number of pushes then and now. */
export function wanted(settings: Settings, since: number, push_count: number): Repack {
  const passed = (period: number | null) => period !== null && period > 0 && Math.floor(push_count / period) > Math.floor(since / period)
  if (passed(settings.housekeeping_gc_period) || passed(settings.housekeeping_full_repack_period)) return 'full'
  return passed(settings.housekeeping_incremental_repack_period) ? 'incremental' : 'none'
}

const day_ms = 24 * 3_600_000
const projectsAtOnce = 200

/** Interrupted pushes leave files behind, and unreachable objects expire without a push. */
export const dailyHousekeepingJob = job<object>('housekeeping.round', {
  lane: 'slow',
  every_ms: day_ms,
  async handle(app, _, stopping) {
    const { housekeeping_enabled, housekeeping_bitmaps_enabled: bitmaps } = await readSettings(app.db)
    let ids: number[] = []
    do {
      ids = await projectIdsAfter(app.db, ids.at(-1) ?? 0, projectsAtOnce)
      for (const project_id of ids) {
        if (stopping?.aborted) throw new Error('the process ends')
        await inspectProject(app, project_id, housekeeping_enabled, bitmaps).catch((error) =>
          app.log.error({ err: error, project_id }, 'housekeeping: repository not inspected'),
        )
      }
    } while (ids.length === projectsAtOnce)
  },
})

async function inspectProject(app: App, project_id: number, enabled: boolean, bitmaps: boolean): Promise<void> {
  await repairProject(app, project_id, await defaultBranchOf(app.db, project_id))
  if (await isUntidy(app, app.git.open(project_id), { project_id }, { enabled, bitmaps }))
    await enqueue(app.db, housekeepingJob, { project_id })
}

/** Removes what interrupted pushes left behind, and returns whether the repository needs housekeeping. `whose` goes into the log. */
export async function isUntidy(
  app: App,
  repo: Repo,
  whose: { project_id: number } | { wiki_id: number },
  { enabled, bitmaps }: { enabled: boolean; bitmaps: boolean },
): Promise<boolean> {
  const removed = await alone(repo, () => removeStaleFiles(repo))
  if (removed && removed.length > 0) app.log.info({ ...whose, removed: removed.length }, 'housekeeping: stale files removed')
  const notes = await notesOf(repo)
  if (!enabled || !notes) return false
  return planFor(await inspectStorage(repo), Date.now() - notes.full_repack_ms, { bitmaps, minRepack: 'none' }).repack !== 'none'
}
