/** Background work after pushes. */
import type { Db } from '../../db/database.ts'
import { countCommits } from '../../git/history.ts'
import { readCommit } from '../../git/read.ts'
import type { Repo } from '../../git/repository.ts'
import { resolveCommit } from '../../git/resolve.ts'
import { job } from '../../queue/queue.ts'
import { titleOf } from '../commits/commits.service.ts'
import { defaultBranchOf } from '../projects/rows.service.ts'
import { pushedTipAt, uncountedEvents, updateEvent } from './pushes.queries.ts'

const eventsAtOnce = 200
/** More new commits than this are counted as this many. */
const mostCounted = 10_000

/** Counts the commits of push events, and keeps the title of the last one. */
export const describePushesJob = job<{ project_id: number }>('pushes.describe', {
  async handle(app, { project_id }) {
    const repo = app.git.open(project_id)
    for (;;) {
      const events = await uncountedEvents(app.db, project_id, eventsAtOnce)
      for (const event of events) {
        const known = await knownBefore(app.db, repo, project_id, event)
        await updateEvent(app.db, event.id, await describe(repo, event, known))
      }
      if (events.length < eventsAtOnce) return
    }
  },
})

type PushEvent = Awaited<ReturnType<typeof uncountedEvents>>[number]

async function describe(repo: Repo, { ref, after_oid }: PushEvent, known: string | null) {
  const after = after_oid ? await resolveCommit(repo, after_oid) : null
  if (!after) return { commit_count: 0, commit_title: null }
  const commit_count = ref?.startsWith('refs/tags/') ? 0 : await countCommits(repo, after, known === after ? null : known, mostCounted)
  return { commit_count, commit_title: titleOf((await readCommit(repo, after)).message) }
}

/**
 * What the push did not bring: the ref's old place, or for a new branch what the default branch held at that time, however
 * much later this runs. Of a new default branch everything counts.
 */
async function knownBefore(db: Db, repo: Repo, project_id: number, { ref, before_oid, created_at }: PushEvent): Promise<string | null> {
  if (before_oid) return resolveCommit(repo, before_oid)
  const default_branch = await defaultBranchOf(db, project_id)
  if (default_branch === null || ref === `refs/heads/${default_branch}`) return null
  const tip = await pushedTipAt(db, project_id, `refs/heads/${default_branch}`, created_at)
  return resolveCommit(repo, tip ?? 'HEAD')
}
