/** Background work: updates the status of merge requests after pushes to their branches, before someone reads it. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { openOnBranches } from './mergeability.queries.ts'
import { mergeabilityOf } from './mergeability.service.ts'

/** Maximum per run; the others are updated when they are read. */
const maxRefreshed = 1_000

/** Tries the merges of all open merge requests between these branches and others, once a burst of pushes is over. */
export const refreshMergeabilityJob: Job<{ project_id: number; branches: string[] }> = job('merge_requests.check', {
  key: ({ project_id, branches }) => `check merges ${project_id} ${branches.join(' ')}`,
  lane: 'slow',
  async handle(app, { project_id, branches }, stopping) {
    for (const merge_request of await openOnBranches(app.db, project_id, branches, maxRefreshed)) {
      stopping?.throwIfAborted()
      await refresh(app, merge_request, stopping)
    }
  },
})

async function refresh(app: App, merge_request: MergeRequest, stopping: AbortSignal | undefined): Promise<void> {
  const found = await findProject(app.db, String(merge_request.project_id), everything).catch(nullIfMissing)
  if (!found) return
  const repo = endingWith(app.git.open(merge_request.project_id), stopping)
  await mergeabilityOf(app, merge_request, found.project, repo).catch((error: unknown) => {
    stopping?.throwIfAborted()
    app.log.warn({ err: error, merge_request: merge_request.id }, 'mergeability: not checked')
  })
}
