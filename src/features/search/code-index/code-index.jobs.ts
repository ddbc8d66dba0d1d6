/** Keeps the index of code up to date in the background. */
import { isEnabled } from '../../../access/flags.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { type AnyJob, enqueue, type Job, job } from '../../../queue/queue.ts'
import { addProjects, deleteSegments, forgetProjects, projectsBehind, segmentsWithUse, unknownProjects } from './code-index.queries.ts'
import { releaseOthers, tidyFolder } from './files.ts'
import { chooseMerge, mergeSegments } from './merging.service.ts'
import { indexLock, updateIndex } from './update.service.ts'

export const updateIndexJob: Job<{ project_id: number }> = job('code_index.update', {
  key: ({ project_id }) => `index code ${project_id}`,
  lane: 'slow',
  async handle(app, { project_id }, stopping) {
    if (!(await isEnabled(app.db, 'code_index'))) return
    try {
      await updateIndex(app, project_id, stopping)
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'unprocessable')) throw error
      // A retry would fail the same way until the branch moves.
      app.log.warn({ project_id, reason: error.message }, 'code not indexed')
    }
    if (chooseMerge(await segmentsWithUse(app.db)).length > 0) await enqueue(app.db, mergeIndexJob, {})
  },
})

export const mergeIndexJob: Job<object> = job('code_index.merge', {
  key: () => 'merge code index',
  lane: 'slow',
  async handle(app, _, stopping) {
    if (await mergeSegments(app, stopping)) await enqueue(app.db, mergeIndexJob, {})
  },
})

const round_ms = 10 * 60_000
const projectsAtOnce = 500

/** Repairs what no push reports: projects from before the index, missing files after a restore, files without a row. */
export const tendIndexJob: Job<object> = job('code_index.round', {
  key: () => 'code index round',
  lane: 'slow',
  every_ms: round_ms,
  at_start: true,
  async handle(app) {
    if (!(await isEnabled(app.db, 'code_index'))) return
    const segments = await segmentsWithUse(app.db)
    const names = new Set(segments.map(({ file }) => file))
    const missing = new Set(await tidyFolder(app, names))
    const lost = segments.filter(({ file }) => missing.has(file)).map(({ id }) => id)
    if (lost.length > 0) {
      app.log.warn({ segments: lost.length }, 'files of the code index are missing: projects are indexed again')
      await inTransaction(app.db, async (tx) => {
        await oneAtATime(tx, indexLock)
        await forgetProjects(tx, lost)
        await deleteSegments(tx, lost)
      })
    }
    releaseOthers(app, names)
    const unknown = await unknownProjects(app.db, projectsAtOnce)
    await addProjects(app.db, unknown)
    for (const project_id of await projectsBehind(app.db, projectsAtOnce)) await enqueue(app.db, updateIndexJob, { project_id })
    if (unknown.length === projectsAtOnce) await enqueue(app.db, tendIndexJob, {}, { delay_ms: 30_000 })
  },
})

export const codeIndexJobs: AnyJob[] = [updateIndexJob, mergeIndexJob, tendIndexJob]
