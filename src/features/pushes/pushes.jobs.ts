/** Background work after pushes. */
import { countCommits } from '../../git/history.ts'
import { readCommit, resolveCommit } from '../../git/read.ts'
import type { Repo } from '../../git/repository.ts'
import { job } from '../../queue/queue.ts'
import { titleOf } from '../commits/commits.service.ts'
import { uncountedEvents, updateEvent } from './pushes.queries.ts'

const eventsAtOnce = 200
/** More new commits than this are counted as this many. */
const mostCounted = 10_000

/** Counts the commits of push events, and keeps the title of the last one. */
export const describePushesJob = job<{ project_id: number }>('pushes.describe', {
  async handle(app, { project_id }) {
    const repo = app.git.open(project_id)
    for (;;) {
      const events = await uncountedEvents(app.db, project_id, eventsAtOnce)
      for (const event of events) await updateEvent(app.db, event.id, await describe(repo, event))
      if (events.length < eventsAtOnce) return
    }
  },
})

/** A ref that moved brought what its old place can't reach; a new one what no default branch can. */
async function describe(repo: Repo, event: { ref: string | null; before_oid: string | null; after_oid: string | null }) {
  const after = event.after_oid ? await resolveCommit(repo, event.after_oid) : null
  if (!after) return { commit_count: 0, commit_title: null }
  const known = event.before_oid ?? (await resolveCommit(repo, 'HEAD'))
  const before = known && known !== after ? await resolveCommit(repo, known) : null
  const commit_count = event.ref?.startsWith('refs/tags/') ? 0 : await countCommits(repo, after, before, mostCounted)
  return { commit_count, commit_title: titleOf((await readCommit(repo, after)).message) }
}
