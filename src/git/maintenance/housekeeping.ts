/**
 * Housekeeping of a repository: only what the state of its folders makes necessary, at low priority, one run at a time. It never removes
 * what a push or a commit under way may need. A repack copies every object, reachable or not; only the full repack drops some, and of those
 * only objects that were unreachable for two weeks, counted from the full repack that first found them so. A push is over within hours, a
 * commit by the API within minutes. One case isn't covered: a branch that is created on an object unreachable for two weeks, in the very
 * minutes of the full repack that drops it. Rejected: `git gc` after a number of pushes suits neither small nor large repositories, and
 * repacks everything; `gc --auto` runs inside a push, unseen by the queue. `--geometric=2` touches only small packs, so the work is
 * proportional to what is new.
 */
import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Repo, run } from '../repository/repository.ts'
import { inspectStorage, type Storage } from './repository-stats.ts'
import { removeStaleFiles, removeUnfinished } from './stale-files.ts'

export type Repack = 'none' | 'incremental' | 'full'

export interface Plan {
  repack: Repack
  packRefs: boolean
  commitGraph: boolean
}

export interface HousekeepingOptions {
  bitmaps: boolean
  /** The minimum to do, necessary or not. */
  minRepack: Repack
  /** Stored for the next run, and returned by `notesOf`. */
  push_count: number
  signal?: AbortSignal | undefined
}

/** State between two runs. */
export interface Notes {
  push_count: number
  /** Time of the last full repack; before that, of the first housekeeping. Milliseconds since the epoch. */
  full_repack_ms: number
}

const bearable = { looseObjects: 1_024, looseRefs: 16, packs: 5 }
/** Smaller repositories are cloned as fast without a bitmap. */
const minForBitmap_bytes = 1024 * 1024
const betweenFullRepacks_ms = 5 * 24 * 3_600_000
const grace = '2.weeks.ago'
const deadline_ms = 6 * 3_600_000

/** Returns what was done; null if housekeeping is already running, in this or another process. */
export function keepInOrder(repo: Repo, options: HousekeepingOptions): Promise<Plan | null> {
  return alone(repo, async () => {
    await removeStaleFiles(repo)
    const notes = (await notesOf(repo)) ?? { push_count: 0, full_repack_ms: Date.now() }
    const plan = planFor(await inspectStorage(repo), Date.now() - notes.full_repack_ms, options)
    await carryOut(repo, plan, options).catch(async (error: unknown) => {
      await removeUnfinished(repo)
      throw error
    })
    const full_repack_ms = plan.repack === 'full' ? Date.now() : notes.full_repack_ms
    await writeFile(notesFile(repo), JSON.stringify({ full_repack_ms, push_count: options.push_count } satisfies Notes))
    return plan
  })
}

/** @param fullRepackAge_ms time since the last full repack */
export function planFor(
  found: Storage,
  fullRepackAge_ms: number,
  { bitmaps, minRepack }: Pick<HousekeepingOptions, 'bitmaps' | 'minRepack'>,
): Plan {
  const maxPacks = Math.max(bearable.packs, Math.log(found.packs_bytes / 1024 ** 2) / Math.log(1.8))
  const isScattered = found.packs > 1 || found.looseObjects > 0 || found.cruftPacks > 0
  const lacksBitmap =
    bitmaps && found.packs_bytes > minForBitmap_bytes && (!found.hasBitmap || found.unindexed_bytes * 2 > found.packs_bytes)
  const full = minRepack === 'full' || (isScattered && fullRepackAge_ms > betweenFullRepacks_ms)
  const incremental = minRepack === 'incremental' || found.looseObjects > bearable.looseObjects || found.packs > maxPacks || lacksBitmap
  return {
    repack: full ? 'full' : incremental ? 'incremental' : 'none',
    packRefs: found.looseRefs > bearable.looseRefs,
    commitGraph: full || incremental || found.commitGraphIsOld,
  }
}

async function carryOut(repo: Repo, plan: Plan, { bitmaps, signal }: HousekeepingOptions): Promise<void> {
  const git = (...args: string[]) => run(repo, args, { low_priority: true, deadline_ms, signal })
  const repack = (...how: string[]) =>
    git('repack', ...how, '-d', '--quiet', '--write-midx', bitmaps ? '--write-bitmap-index' : '--no-write-bitmap-index')
  if (plan.packRefs) await git('pack-refs', '--all')
  // Only a repack moves loose objects into packs, including unreachable ones.
  if (plan.repack !== 'none') await repack('--geometric=2')
  if (plan.repack === 'full') {
    await startGrace(repo)
    await repack('--cruft', `--cruft-expiration=${grace}`)
    await repo.git.clones.evict(repo.dir)
  }
  // A full repack writes a new graph, without commits that are gone.
  const split = plan.repack === 'full' ? '--split=replace' : '--split'
  if (plan.commitGraph) await git('commit-graph', 'write', '--reachable', '--changed-paths', split, '--no-progress')
}

/**
 * Git takes the age of a pack as the time since its objects became unreachable, though a branch with old commits may have been deleted just
 * now. So for objects that aren't in a cruft pack yet, the two weeks begin here.
 */
async function startGrace({ dir }: Repo): Promise<void> {
  const folder = join(dir, 'objects', 'pack')
  const names = new Set(await readdir(folder))
  const now = new Date()
  for (const name of names) {
    if (!name.endsWith('.pack') || names.has(name.replace(/pack$/, 'mtimes'))) continue
    await utimes(join(folder, name), now, now)
  }
}

/** Null before the first housekeeping. */
export async function notesOf(repo: Repo): Promise<Notes | null> {
  const text = await readFile(notesFile(repo), 'utf8').catch(() => '')
  try {
    const { push_count, full_repack_ms } = JSON.parse(text) as Partial<Notes>
    return typeof push_count === 'number' && typeof full_repack_ms === 'number' ? { push_count, full_repack_ms } : null
  } catch {
    // There is none yet, or a crash truncated it.
    return null
  }
}

const notesFile = ({ dir }: Repo): string => join(dir, '.housekeeping')
const lockFile = ({ dir }: Repo): string => join(dir, '.housekeeping.lock')

/** A lock that wasn't touched for this long belongs to a process that was killed. */
const lockAge_ms = 15 * 60_000
const touch_ms = 60_000

/** Whether housekeeping is running, in any process. */
export async function isUnderWay(repo: Repo): Promise<boolean> {
  return (await stateOf(lockFile(repo))) === 'held'
}

async function stateOf(lock: string): Promise<'free' | 'held' | 'forgotten'> {
  const found = await stat(lock).catch(() => null)
  if (!found) return 'free'
  return Date.now() - found.mtimeMs < lockAge_ms ? 'held' : 'forgotten'
}

/** Runs the work under the lock; returns null without running it if the lock is taken. */
export async function alone<T>(repo: Repo, work: () => Promise<T>): Promise<T | null> {
  const lock = lockFile(repo)
  // A missing lock must not be removed: another process may be creating it.
  if ((await stateOf(lock)) === 'forgotten') await rm(lock, { force: true })
  const held = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    // The lock is taken, or the repository is gone.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return null
    throw error
  })
  if (!held) return null
  const touch = setInterval(() => void held.utimes(new Date(), new Date()).catch(() => {}), touch_ms)
  try {
    return await work()
  } finally {
    clearInterval(touch)
    await held.close()
    await rm(lock, { force: true })
  }
}
