/** Background work of references. */
import { job } from '../../../queue/queue.ts'
import { type PushedBranch, readPushedCommits } from './pushed-commits.ts'

/** Processes the messages of pushed commits, soon after the push. */
export const readCommitsJob = job<{ project_id: number; user_id: number; branches: PushedBranch[] }>('references.read_commits', {
  async handle(app, { project_id, user_id, branches }, stopping) {
    for (const branch of branches) {
      stopping?.throwIfAborted()
      await readPushedCommits(app, project_id, user_id, branch, stopping)
    }
  },
})
