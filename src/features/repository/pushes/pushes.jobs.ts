/** Background work after pushes. */
import { setImmediate as turn } from 'node:timers/promises'
import { endingWith } from '../../../git/repository/handles.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { eventDescriber } from './descriptions.ts'
import { uncountedEvents, updateEvents } from './pushes.queries.ts'
import { reconcileAll } from './reconcile.ts'

const eventsAtOnce = 500
/** Afterwards other jobs run first. */
const maxEventsPerRun = 5_000

/** Counts the commits of push events and stores the title of the last commit, unless a reader has already done so. */
export const describePushesJob: Job<{ project_id: number }> = job('pushes.describe', {
  key: ({ project_id }) => `describe ${project_id}`,
  async handle(app, { project_id }, stopping) {
    const repo = endingWith(app.git.open(project_id), stopping)
    const describe = eventDescriber(app, repo, project_id)
    for (let done = 0; done < maxEventsPerRun; done += eventsAtOnce) {
      stopping?.throwIfAborted()
      const events = await uncountedEvents(app.db, project_id, eventsAtOnce)
      await updateEvents(app.db, await describe(events))
      if (events.length < eventsAtOnce) return
      await turn()
    }
    await enqueue(app.db, describePushesJob, { project_id })
  },
})

const reconcileEvery_ms = 60_000

/** Settles intents in the journal whose pushes never ended. */
export const reconcilePushesJob = job('pushes.reconcile', { every_ms: reconcileEvery_ms, at_start: true, handle: reconcileAll })
