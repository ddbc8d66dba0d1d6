/** Live updates: a stream of server-sent events that reports when something on a page has changed. The page then fetches itself again. */

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { Failure, notFound } from '../../failure.ts'
import { jobOfId, jobReaders, pipelineOfId } from '../../features/ci/overviews/overviews.ts'
import { openWatcher, versionOf, type WatchedKind, type Watcher } from '../../features/instance/watching/watching.ts'
import { visibleBoard } from '../../features/planning/boards/boards.ts'
import { visibleIssue } from '../../features/planning/issues/issues.ts'
import { mergeRequestOfId } from '../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { callerKey } from '../../http/caller/callers.ts'
import { type Access, allowed, type Granted, only, project } from '../../http/declare/rules.ts'
import { throttled } from '../../http/limits/throttle.ts'
import { pageBefore, principalOf, sessionOf } from './session.ts'

/** Access that is required to watch each kind of change. */
const topics: Record<WatchedKind, Access<Granted>> = {
  code: project('code'),
  work: project('edit_project'),
  issue: visibleIssue(),
  merge_request: mergeRequestOfId(),
  internal_issue: only(visibleIssue(), allowed('read_internal_notes')),
  internal_merge_request: only(mergeRequestOfId(), allowed('read_internal_notes')),
  board: visibleBoard(),
  pipelines: jobReaders,
  merge_trains: jobReaders,
  pipeline: pipelineOfId,
  job: jobOfId,
}

/** Then the client reconnects, and its access is checked again. */
const lasts_ms = 10 * 60_000
/** Shorter than the timeouts of proxies and of this server. */
const heartbeat_ms = 25_000

/**
 * Watches an entity from a page: the page offers to show changes (`notice`), shows them at once (`refresh`), or leaves them to a script
 * (`tell`).
 */
export function liveUpdates(kind: WatchedKind, id: number, seen: string, then: 'notice' | 'refresh' | 'tell'): Html {
  return html`<page-updates topic="${kind}:${id}" seen="${seen}" then="${then}"></page-updates>`
}

/** For pages of import, export and housekeeping, which refresh as the work progresses. For Maintainers. One statement. */
export async function workChanges(app: App, project_id: number): Promise<Html> {
  return liveUpdates('work', project_id, (await versionOf(app, 'work', project_id)) ?? '', 'refresh')
}

export function liveRoute(server: FastifyInstance, app: App, watcher: Watcher = openWatcher(app)): void {
  const open = new Set<Readable>()
  // Otherwise streams would keep the server from stopping.
  server.addHook('preClose', (done) => {
    watcher.close()
    for (const stream of open) stream.push(null)
    done()
  })
  server.get<{ Querystring: Record<string, unknown> }>('/-/live', { exposeHeadRoute: false }, async (request, reply) => {
    const { kind, id } = topicIn(request.query.topic)
    const authenticate = () => sessionOf(app, request)
    const session = await throttled(app, { request, reply, on: 'web', authenticate, userOf: (found) => found?.user ?? null })
    const user = session?.user ?? null
    await assertMayWatch(app, request, kind, id)
    const release = await app.limits.live.acquire(callerKey(request, user))
    if (typeof release === 'string') throw new Failure('too_many_at_once', t`Too many pages are open at once`)
    const seen = request.headers['last-event-id'] ?? request.query.seen
    const stream = eventsOf(
      (onChange) => watcher.watch({ kind, id, seen: typeof seen === 'string' && seen !== '' ? seen : null }, onChange),
      {
        mayStill: () =>
          assertMayWatch(app, request, kind, id).then(
            () => true,
            () => false,
          ),
      },
    )
    open.add(stream)
    stream.once('close', () => {
      open.delete(stream)
      release()
    })
    void reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    return reply.send(stream)
  })
}

function topicIn(sent: unknown): { kind: WatchedKind; id: number } {
  const [, kind, id] = /^(\w+):([1-9]\d{0,15})$/.exec(typeof sent === 'string' ? sent : '') ?? []
  if (kind === undefined || !Object.hasOwn(topics, kind)) throw notFound('Topic')
  return { kind: kind as WatchedKind, id: Number(id) }
}

async function assertMayWatch(app: App, request: FastifyRequest, kind: WatchedKind, id: number): Promise<void> {
  const session = await sessionOf(app, request)
  // As on the page that watches: nothing before the terms are accepted.
  if (pageBefore(null, session) !== null) throw notFound('Topic')
  await topics[kind].grant({
    app,
    principal: principalOf(session),
    params: { id: String(id) },
    openRepo: app.git.open,
    openWiki: app.git.openWiki,
  })
}

/** Events with the version as their id, from which a client continues after a lost connection. */
function eventsOf(
  watch: (onChange: (version: string) => void) => () => void,
  { mayStill }: { mayStill: () => Promise<boolean> },
): Readable {
  const stream = new Readable({ read() {} })
  const end = () => {
    stream.push(null)
  }
  const unwatch = watch(async (version) => {
    if (await mayStill()) stream.push(`id: ${version}\nevent: change\ndata:\n\n`)
    else end()
  })
  const beat = setInterval(() => stream.push(':\n\n'), heartbeat_ms)
  const timeout = setTimeout(end, lasts_ms)
  stream.once('close', () => {
    unwatch()
    clearInterval(beat)
    clearTimeout(timeout)
  })
  // A random delay, so that clients don't all reconnect at the same moment after a restart.
  stream.push(`retry: ${2_000 + Math.floor(Math.random() * 4_000)}\n\n`)
  return stream
}
