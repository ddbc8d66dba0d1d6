/** Background work: fetches changes of remote repositories into projects, under the same rules and journal as pushes. */
import type { App } from '../../../app.ts'
import type { PullMirror } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { isAncestor } from '../../../git/history/ancestry.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { branchOf, type RefChange } from '../../../git/refs/ref-updates.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { fetchRemoteObjects } from '../../../git/transfer/fetch-remote-objects.ts'
import { listRemote } from '../../../git/transfer/push-remote.ts'
import { type AnyJob, enqueue, type Job, job } from '../../../queue/queue.ts'
import { changeRefs, type Pusher } from '../../repository/pushes/pushes.ts'
import { complaintOf, connectTo, fetchLargeFiles, hostOf, lfsServerOf, maintainerOf, mirroredRefs, runMirror } from '../mirrors/mirrors.ts'
import { enabledPullMirror, takeDueMirrors } from './pull-mirrors.queries.ts'

const hour_ms = 3_600_000
const limits = { max_bytes: 10 * 1024 ** 3, deadline_ms: 2 * hour_ms }
/** Interval between two fetches of the same repository. */
export const interval_ms = hour_ms / 2
const busy_ms = 5_000

interface Payload {
  mirror_id: number
}

export const pullMirrorJob: Job<Payload> = job<Payload>('mirrors.pull', {
  lane: 'mirrors',
  key: ({ mirror_id }) => `pull mirror ${mirror_id}`,
  async handle(app, { mirror_id }, stopping) {
    const mirror = await enabledPullMirror(app.db, mirror_id)
    if (!mirror) return
    const asked = mirror.user_id === null ? {} : { asked_by: mirror.user_id }
    const hasRun = await runMirror(
      app,
      {
        table: 'pull_mirrors',
        mirror,
        host: hostOf(app, 'pull_mirrors', mirror),
        work: (_, signal) => updateProject(app, mirror, signal),
        retry: (tx, delay_ms) => enqueue(tx, pullMirrorJob, { mirror_id }, { ...asked, delay_ms }),
      },
      stopping,
    )
    if (!hasRun) await enqueue(app.db, pullMirrorJob, { mirror_id }, { ...asked, delay_ms: busy_ms })
  },
})

export const pullDueJob = job('mirrors.pull_due', {
  every_ms: 60_000,
  async handle(app) {
    for (const { id, user_id } of await takeDueMirrors(app.db, new Date(Date.now() + interval_ms).toISOString())) {
      await enqueue(app.db, pullMirrorJob, { mirror_id: id }, user_id === null ? {} : { asked_by: user_id })
    }
  },
})

/** Which refs could not be updated, as a sentence; null if all were. */
async function updateProject(app: App, mirror: PullMirror, signal: AbortSignal): Promise<string | null> {
  const pusher: Pusher = { ...(await maintainerOf(app, mirror)), starts_pipelines: mirror.trigger_builds }
  const repo = app.git.open(mirror.project_id)
  await createRepository(repo, app.config.default_branch)
  const connection = await connectTo(app, 'pull_mirrors', mirror)
  const theirs = await listRemote(repo, connection, signal)
  const wanted = await mirroredRefs(app, mirror, theirs.keys())
  const ours = await allRefs(repo)
  const changes = [...theirs].flatMap(([ref, after]): RefChange[] => {
    const before = ours.get(ref) ?? noObject
    return before === after || !wanted.has(ref) ? [] : [{ ref, before, after }]
  })
  await fetchRemoteObjects(repo, connection, new Set(changes.map(({ after }) => after)), { ...limits, signal })
  const server = (operation: 'upload' | 'download') => lfsServerOf(app, 'pull_mirrors', mirror, operation, signal)
  const commits = { tips: changes.map(({ after }) => after), known: ours.values() }
  const large_files = await fetchLargeFiles(app, { project: pusher.project, server, signal }, commits)
  const forward: RefChange[] = []
  const diverged: RefChange[] = []
  for (const change of changes) {
    const goesOn = change.before === noObject || (branchOf(change.ref) !== null && (await isAncestor(repo, change.before, change.after)))
    ;(goesOn ? forward : diverged).push(change)
  }
  const refused = await move(app, pusher, forward, false)
  // One by one, so that a protected branch that rejects force only affects itself.
  if (mirror.overwrites_diverged_branches) for (const change of diverged) refused.push(...(await move(app, pusher, [change], true)))
  const kept = mirror.overwrites_diverged_branches ? [] : diverged.map(({ ref }) => ref)
  return complaintOf({ diverged: kept, rejected: refused, by: 'The rules of this project refuse', large_files })
}

/** All at once; if a rule rejects one of them, each on its own. Returns the refs that were rejected. */
async function move(app: App, pusher: Pusher, changes: RefChange[], is_forced: boolean): Promise<string[]> {
  if (changes.length === 0) return []
  try {
    await changeRefs(app, pusher, changes, { is_forced, is_copy: true })
    return []
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'ref_denied')) throw error
  }
  if (changes.length === 1) return changes.map(({ ref }) => ref)
  const refused: string[] = []
  for (const change of changes) refused.push(...(await move(app, pusher, [change], is_forced)))
  return refused
}

export const pullMirrorJobs: AnyJob[] = [pullMirrorJob, pullDueJob]
