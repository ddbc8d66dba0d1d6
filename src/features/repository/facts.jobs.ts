/** Counting in the background, after pushes to a default branch. */
import type { Db } from '../../db/database.ts'
import { enqueue, job } from '../../queue/queue.ts'
import { defaultBranchOf } from '../projects/rows.service.ts'
import { countContributors, countLanguages, readTally, tipOf } from './facts.counting.ts'

/** A long history is counted in pieces of this length: others wait in the queue too, and a crash loses no more than one. */
const piece_ms = 5_000
const languages_ms = 60_000

export const countFactsJob = job<{ project_id: number }>('repository.count', {
  async handle(app, { project_id }) {
    const tip = await tipOf(app.git.open(project_id), await defaultBranchOf(app.db, project_id))
    if (tip === null) return
    await countLanguages(app, project_id, tip, languages_ms)
    const counted = await countContributors(app, project_id, await readTally(app, project_id), tip, {
      most_ms: piece_ms,
      in_background: true,
    })
    if (!counted) await enqueueCount(app.db, project_id)
  },
})

export function enqueueCount(db: Db, project_id: number): Promise<void> {
  return enqueue(db, countFactsJob, { project_id }, { unique_key: `count ${project_id}` })
}
