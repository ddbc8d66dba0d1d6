/**
 * Housekeeping of a repository: only what its folders show to be necessary, at low priority, and one run at a time.
 *
 * Nothing that a push or a commit under way may need is ever lost. Repacking copies every object, reached or not; only the
 * full repack lets go of some, and of those only what nothing reached for two weeks, as counted from a full repack that
 * found them unreached. A push brings what its commits need and is over within hours, a commit by the API within minutes.
 * One case isn't covered: a branch made on an object that nothing reached for two weeks, in the very minutes of the full repack
 * that lets go of it.
 *
 * `git gc` after so many pushes is wrong for small and large repositories alike, and repacks everything; `gc --auto` runs inside a push, unseen
 * by the queue. `--geometric=2` touches small packs only, so the work is in proportion to what came since.
 */
import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Repo, run } from '../repository/repository.ts'
import { inspectStorage, type Storage } from './repository-stats.ts'
import { removeStaleFiles, removeUnfinishedPacks } from './stale-files.ts'

export type Repack = 'none' | 'incremental' | 'full'

export interface Plan {
  repack: Repack
  packRefs: boolean
  commitGraph: boolean
}

export interface HousekeepingOptions {
  bitmaps: boolean
  /** The least that is done, necessary or not. */
  minRepack: Repack
  /** Kept for the next time, when `notesOf` gives it back. */
  push_count: number
  signal?: AbortSignal | undefined
}

/** State between two runs. */
export interface Notes {
  push_count: number
  /** The time of the last full repack; before the first, of the first housekeeping. Milliseconds since the epoch. */
  full_repack_ms: number
}

const bearable = { looseObjects: 1_024, looseRefs: 16, packs: 5 }
/** Smaller repositories are cloned as quickly without a bitmap. */
const minForBitmap_bytes = 1024 * 1024
const betweenFullRepacks_ms = 5 * 24 * 3_600_000
const grace = '2.weeks.ago'
const deadline_ms = 6 * 3_600_000

/** Null when it is under way already, here or in another process; otherwise what was done. */
export function keepInOrder(repo: Repo, options: HousekeepingOptions): Promise<Plan | null> {
  return alone(repo, async () => {
    await removeStaleFiles(repo)
    const notes = (await notesOf(repo)) ?? { push_count: 0, full_repack_ms: Date.now() }
    const plan = planFor(await inspectStorage(repo), Date.now() - notes.full_repack_ms, options)
    await carryOut(repo, plan, options).catch(async (error: unknown) => {
      await removeUnfinishedPacks(repo)
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
  // This alone brings loose objects into packs, those that nothing reaches as well.
  if (plan.repack !== 'none') await repack('--geometric=2')
  if (plan.repack === 'full') {
    await startGrace(repo)
    await repack('--cruft', `--cruft-expiration=${grace}`)
    await repo.git.clones.evict(repo.dir)
  }
  // After a full repack without what it had of commits that are gone.
  const split = plan.repack === 'full' ? '--split=replace' : '--split'
  if (plan.commitGraph) await git('commit-graph', 'write', '--reachable', '--changed-paths', split, '--no-progress')
}

/**
 * Git takes the age of a pack for the time since its objects were unreached, though a branch of old commits may have been
 * deleted just now. So the two weeks of what isn't in a pack of unreached objects yet begin here.
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
    // None yet, or cut short by a crash.
    return null
  }
}

const notesFile = ({ dir }: Repo): string => join(dir, '.housekeeping')
const lockFile = ({ dir }: Repo): string => join(dir, '.housekeeping.lock')

/** A lock that wasn't touched for so long is nobody's: its process was killed. */
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

/** Does it while nobody else can; null, and nothing done, while somebody does. */
export async function alone<T>(repo: Repo, work: () => Promise<T>): Promise<T | null> {
  const lock = lockFile(repo)
  // A missing lock is not removed: another process may create it at this moment.
  if ((await stateOf(lock)) === 'forgotten') await rm(lock, { force: true })
  const held = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    // Somebody else has it, or the repository is gone.
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
