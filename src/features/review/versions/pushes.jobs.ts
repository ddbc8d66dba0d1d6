/** Background work after pushes: creates new versions of the merge requests whose branches have moved. */
import type { App } from '../../../app.ts'
import { now } from '../../../db/instants.ts'
import { isAncestor } from '../../../git/history/ancestry.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { mergeRequestById } from '../merge-requests/merge-requests.ts'
import { maxCommits } from './contents.ts'
import { insertPending, openOnes, openOnesWithCommits, waitingIn } from './versions.queries.ts'
import { currentVersion } from './versions.service.ts'

/** Merge requests processed per query of ids. */
const atOnce = 100

/** Creates the versions for moved branches, unless a reader has already done so. */
export const refreshVersionsJob: Job<{ project_id: number }> = job('merge_requests.refresh', {
  key: ({ project_id }) => `versions ${project_id}`,
  async handle(app, { project_id }, stopping) {
    for (let before = ''; ; ) {
      const ids = await waitingIn(app.db, project_id, atOnce)
      if (ids.length === 0) return
      // The queue retries with backoff.
      if (ids.join() === before) throw new Error(`versions of ${ids.length} merge requests could not be made`)
      before = ids.join()
      for (const id of ids) {
        stopping?.throwIfAborted()
        await refresh(app, id)
      }
    }
  },
})

/** Refreshes a limited number, for a request that reads their combined state. The queue does the rest. */
export async function refreshWaiting(app: App, project_id: number, limit: number): Promise<void> {
  for (const id of await waitingIn(app.db, project_id, limit)) await refresh(app, id)
}

async function refresh(app: App, id: number): Promise<void> {
  const merge_request = await mergeRequestById(app.db, id)
  if (merge_request) await currentVersion(app, merge_request)
}

export interface MovedBranch {
  branch: string
  before: string
  after: string
}

/**
 * The diff of a merge request changes if its target was rewritten, or contains some of its commits now. A target that merely has new
 * commits changes nothing, and costs one process and one statement however many merge requests it has.
 */
export const followTargetsJob: Job<{ project_id: number; user_id: number; branches: MovedBranch[] }> = job(
  'merge_requests.follow_targets',
  {
    async handle(app, { project_id, user_id, branches }, stopping) {
      const repo = endingWith(app.git.open(project_id), stopping)
      for (const { branch, before, after } of branches) {
        const goesForward = await isAncestor(repo, before, after)
        const { oids } = await commitRange(repo, after, before, maxCommits)
        const ids = goesForward
          ? await openOnesWithCommits(app.db, project_id, branch, oids)
          : (await openOnes(app.db, 'target', project_id, [branch])).map(({ id }) => id)
        const created_at = now()
        await insertPending(
          app.db,
          ids.map((merge_request_id) => ({ merge_request_id, user_id, head_oid: null, created_at })),
        )
        for (const id of ids) {
          stopping?.throwIfAborted()
          await refresh(app, id)
        }
      }
    },
  },
)
