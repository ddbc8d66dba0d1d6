/**
 * Notices changes made by any process of the server by polling the database: one statement per second for each kind of thing that is being
 * watched, however many watch it, and none while nobody does. `LISTEN` and `NOTIFY` would need another connection per process and another
 * mechanism for SQLite, and would miss changes during outages.
 */
import type { App } from '../../../app.ts'
import { reportFailure } from '../../../background.ts'
import { boardVersions } from './boards.queries.ts'
import {
  codeVersions,
  issueVersions,
  jobVersions,
  mergeRequestVersions,
  mergeTrainVersions,
  pipelineListVersions,
  pipelineVersions,
  type Versions,
  workVersions,
} from './watching.queries.ts'

const kinds = {
  code: codeVersions,
  work: workVersions,
  issue: issueVersions({ internal: false }),
  merge_request: mergeRequestVersions({ internal: false }),
  /** For readers who see internal notes. */
  internal_issue: issueVersions({ internal: true }),
  internal_merge_request: mergeRequestVersions({ internal: true }),
  board: boardVersions,
  pipelines: pipelineListVersions,
  merge_trains: mergeTrainVersions,
  pipeline: pipelineVersions,
  job: jobVersions,
} as const satisfies Record<string, Versions>

export type WatchedKind = keyof typeof kinds

export interface Watcher {
  /**
   * Calls `onChange` with the new version each time it differs from `seen` or from the last one; at once if it already does. Returns a
   * function that stops watching.
   */
  watch: (subject: { kind: WatchedKind; id: number; seen: string | null }, onChange: (version: string) => void) => () => void
  close: () => void
}

interface Watch {
  id: number
  seen: string | null
  onChange: (version: string) => void
}

/** The current version of one thing; null if it was deleted. */
export async function versionOf({ db }: App, kind: WatchedKind, id: number): Promise<string | null> {
  return (await kinds[kind](db, [id])).get(id) ?? null
}

export function openWatcher(app: App, period_ms = 1_000): Watcher {
  const watches = new Map<WatchedKind, Set<Watch>>()
  let timer: NodeJS.Timeout | null = null
  let isLooking = false

  async function look(): Promise<void> {
    for (const [kind, watching] of watches) {
      const versions = await kinds[kind](app.db, [...new Set([...watching].map(({ id }) => id))])
      for (const watch of watching) compare(watch, versions.get(watch.id))
    }
  }

  function compare(watch: Watch, version: string | undefined): void {
    const { seen } = watch
    if (version === undefined || version === seen) return
    watch.seen = version
    if (seen !== null) watch.onChange(version)
  }

  /** If the database is unavailable now, the next turn asks again. */
  function tick(): void {
    if (isLooking) return
    isLooking = true
    look()
      .catch((error: unknown) => reportFailure(app, error, 'changes: could not look for changes'))
      .finally(() => {
        isLooking = false
      })
  }

  function rest(): void {
    if (timer) clearInterval(timer)
    timer = null
  }

  return {
    watch({ kind, id, seen }, onChange) {
      const watching = watches.get(kind) ?? new Set()
      const watch = { id, seen, onChange }
      watches.set(kind, watching.add(watch))
      timer ??= setInterval(tick, period_ms).unref()
      tick()
      return () => {
        watching.delete(watch)
        if (watching.size === 0) watches.delete(kind)
        if (watches.size === 0) rest()
      }
    },
    close: rest,
  }
}
