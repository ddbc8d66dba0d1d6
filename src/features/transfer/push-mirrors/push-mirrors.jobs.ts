/**
 * Background work: updates the remote repositories of a project. One run per mirror at a time; pushes during a run are part of the next
 * one.
 */
import type { App } from '../../../app.ts'
import type { PushMirror } from '../../../db/tables.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import { listRemote, planPush, pushRemote } from '../../../git/transfer/push-remote.ts'
import { type AnyJob, enqueue, type Job, job } from '../../../queue/queue.ts'
import { complaintOf, connectTo, hostOf, lfsServerOf, maintainerOf, mirroredRefs, runMirror, sendLargeFiles } from '../mirrors/mirrors.ts'
import { enabledPushMirrors } from './push-mirrors.queries.ts'

const deadline_ms = 2 * 3_600_000
/** How long to wait if another run is under way. */
const busy_ms = 5_000

interface Payload {
  mirror_id: number
}

export const pushMirrorJob: Job<Payload> = job<Payload>('mirrors.push', {
  lane: 'mirrors',
  key: ({ mirror_id }) => `push mirror ${mirror_id}`,
  async handle(app, { mirror_id }, stopping) {
    const [mirror] = await enabledPushMirrors(app.db, { id: mirror_id })
    if (!mirror) return
    const asked = mirror.user_id === null ? {} : { asked_by: mirror.user_id }
    const hasRun = await runMirror(
      app,
      {
        table: 'push_mirrors',
        mirror,
        host: hostOf(app, 'push_mirrors', mirror),
        work: (_, signal) => updateRemote(app, mirror, signal),
        retry: (tx, delay_ms) => enqueue(tx, pushMirrorJob, { mirror_id }, { ...asked, delay_ms }),
      },
      stopping,
    )
    if (!hasRun) await enqueue(app.db, pushMirrorJob, { mirror_id }, { ...asked, delay_ms: busy_ms })
  },
})

/** Which refs could not be updated, as a sentence; null if all were. */
async function updateRemote(app: App, mirror: PushMirror, signal: AbortSignal): Promise<string | null> {
  const { project } = await maintainerOf(app, mirror)
  const repo = app.git.open(mirror.project_id)
  const connection = await connectTo(app, 'push_mirrors', mirror)
  const theirs = await listRemote(repo, connection, signal)
  const ours = await allRefs(repo)
  const wanted = await mirroredRefs(app, mirror, [...ours.keys(), ...theirs.keys()])
  const { keep_divergent_refs } = mirror
  const plan = await planPush(repo, ours, theirs, { keeps_diverged: keep_divergent_refs, isWanted: (ref) => wanted.has(ref) })
  const server = (operation: 'upload' | 'download') => lfsServerOf(app, 'push_mirrors', mirror, operation, signal)
  const tips = plan.moves.flatMap(({ after }) => after ?? [])
  const large_files = await sendLargeFiles(app, { project, server, signal }, { tips, known: theirs.values() })
  const rejected = await pushRemote(repo, connection, plan.moves, { signal, deadline_ms })
  return complaintOf({ diverged: plan.diverged, rejected, by: 'The remote repository rejected', large_files })
}

export const pushMirrorJobs: AnyJob[] = [pushMirrorJob]
