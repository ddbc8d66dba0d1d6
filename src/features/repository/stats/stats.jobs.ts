/** Counts in the background, after pushes to a default branch. */
import { Failure } from '../../../failure.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { defaultBranchOf } from '../../spaces/projects/projects.ts'
import { countContributors, countLanguages, noteUncountable, readTally, tipOf } from './stats.counting.ts'

/** A long history is counted in parts of this duration: other jobs run in between, and a crash loses only one part. */
const piece_ms = 5_000
const languages_ms = 60_000

export const countStatsJob: Job<{ project_id: number }> = job('repository.count', {
  key: ({ project_id }) => `count ${project_id}`,
  async handle(app, { project_id }) {
    const repo = app.git.open(project_id)
    const tip = await tipOf(repo, await defaultBranchOf(app.db, project_id))
    if (tip === null) return
    try {
      await countLanguages(app, project_id, tip, languages_ms)
      const limits = { max_ms: piece_ms, in_background: true }
      const counted = await countContributors(app, project_id, await readTally(app, project_id), tip, limits)
      if (!counted) await enqueue(app.db, countStatsJob, { project_id })
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'unprocessable')) throw error
      // A retry would fail the same way until the branch moves.
      noteUncountable(repo, tip, error)
      app.log.warn({ project_id, tip, reason: error.message }, 'contributors and languages not counted')
    }
  },
})
