/** Limits of clones, pushes and large downloads, over HTTP and SSH. */
import { Failure } from '../failure.ts'
import { type ConcurrencyLimiter, type ConcurrencyLimits, concurrencyLimiter, type Release } from './concurrency.ts'
import type { LimitConfig } from './settings.ts'
import { openThrottles, type RequestCounter, type Throttles } from './throttles.ts'
import { type WaitingBytes, waitingBytes } from './waiting-bytes.ts'

/** Limits of what may run at once. */
export interface AppLimits {
  /** Streams of signed-in users, by user or deploy key. */
  streams: ConcurrencyLimiter
  /** Streams of anonymous clients, by address: they never use the slots of signed-in users. */
  anonymousStreams: ConcurrencyLimiter
  /** Open pages that wait for changes, by user or address. They take few resources, and no slots of clones. */
  live: ConcurrencyLimiter
  /** Large answers that clients haven't read yet, and large bodies, which this process holds in memory. */
  held: WaitingBytes
  /** Bytes of a list that are read, and written, in one portion: most pages fit into one. */
  portion_bytes: number
  /** Rate limits. */
  throttles: Throttles
  /** How long a client may be inactive, in milliseconds. */
  silence_ms: {
    download: number
    /** Longer, since a client may have to read or compress what it sends. */
    upload: number
  }
  /**
   * Requires a body, except of pushes and large files, to bring at least `min_bytes` per period on average; otherwise its connection is
   * closed. A client that was faster may pause in return, up to `max_pause_periods`: its laptop may sleep, or its file may be on a tape.
   */
  slow_body: { period_ms: number; min_bytes: number; max_pause_periods: number }
  /** So long runners that ask for a job share one look at the queue of jobs, which may miss what was queued since. */
  sharedLook_ms: number
  /** The age at which the numbers in the header of pages are counted anew: to count for every page would cost more than many pages do. */
  headerCounts_ms: number
  /** How long a page waits for what it can be shown without: a script asks for it later, or the page says that it isn't there yet. */
  pagePatience_ms: { header_counts: number; last_commits: number; languages: number; graphs: number }
  /** How long the pipeline of a merge train may take, before what it tests has to leave. */
  mergeTrainTest_ms: number
}

const mebibyte = 1024 * 1024

/** Counters that all processes of a server share. */
export interface SharedCounters {
  limiter: (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter
  counter: RequestCounter
}

/** @param shared by default this process counts alone */
export function openLimits(
  { streams: { signed_in, of_user, anonymous, of_address }, throttle_allowlist }: LimitConfig,
  shared: SharedCounters | null = null,
): AppLimits {
  const limiter = shared?.limiter ?? ((_: string, limits: ConcurrencyLimits) => concurrencyLimiter(limits))
  return {
    streams: limiter('streams', { perKey: of_user, total: signed_in }),
    anonymousStreams: limiter('anonymous streams', { perKey: of_address, total: anonymous }),
    live: limiter('live', { perKey: 30, total: 5_000 }),
    held: waitingBytes({ of_address: 64 * mebibyte, total: 256 * mebibyte }),
    portion_bytes: 2 * mebibyte,
    throttles: openThrottles(shared?.counter, throttle_allowlist),
    silence_ms: { download: 60_000, upload: 5 * 60_000 },
    slow_body: { period_ms: 60_000, min_bytes: 256 * 1024, max_pause_periods: 5 },
    sharedLook_ms: 20,
    headerCounts_ms: 60_000,
    pagePatience_ms: { header_counts: 100, last_commits: 150, languages: 200, graphs: 1_000 },
    mergeTrainTest_ms: 12 * 3_600_000,
  }
}

/** Takes a slot. Throws `too_many_at_once` at the limit of the key, `busy` at the total limit. */
export async function takeStream(limits: AppLimits, key: string, kind: 'signed in' | 'anonymous'): Promise<Release> {
  const place = await (kind === 'anonymous' ? limits.anonymousStreams : limits.streams).acquire(key)
  if (place === 'key') {
    const whose = kind === 'anonymous' ? 'from your address' : 'of yours'
    throw new Failure('too_many_at_once', `Too many clones, pushes and downloads ${whose} are under way. Try again in a few seconds.`)
  }
  if (place === 'all') {
    throw new Failure('busy', 'Too many clones, pushes and downloads are under way on this server. Try again in a few seconds.')
  }
  return place
}
