/**
 * Staged import: data from elsewhere is fetched into a repository of its own and adopted at once, if the target is still empty. A failure
 * leaves nothing behind, and a late import changes nothing.
 */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { renameDurably, syncFolder } from '../../durable.ts'
import { packsIn } from '../objects/quarantine.ts'
import { linkOnce, setHead } from '../refs/head.ts'
import { branchOf } from '../refs/ref-updates.ts'
import { allRefs } from '../refs/refs.ts'
import { initRepository, type Repo, run } from '../repository/repository.ts'

const prefix = 'arriving-'

/**
 * Creates an empty staging repository in the folder of the target. There is only one: if two imports run, the later one continues, and the
 * earlier finds its own gone. The caller closes it.
 */
export async function openStagedImport(repo: Repo): Promise<Repo> {
  const before = (await readdir(repo.dir)).filter((name) => name.startsWith(prefix))
  for (const name of before) await remove(join(repo.dir, name))
  const arrival = { ...repo, dir: join(repo.dir, `${prefix}${randomBytes(8).toString('hex')}`) }
  await initRepository(arrival, 'main')
  return arrival
}

export function closeStagedImport({ dir }: Repo): Promise<void> {
  return remove(dir)
}

/** Bytes that have arrived so far, including packs that are still being written. */
export async function arrivedBytes({ dir }: Repo): Promise<number> {
  const packs = join(dir, 'objects', 'pack')
  const names = await readdir(packs).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(packs, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** False if another import has started since, or the repository was deleted. */
export async function isOpen({ dir }: Repo): Promise<boolean> {
  return (await stat(dir).catch(() => null)) !== null
}

/** Renames it first, so that a concurrent adoption finds all of it or nothing. */
async function remove(path: string): Promise<void> {
  const going = `${path}.going`
  await rename(path, going).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rm(going, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Moves everything that has arrived into the repository; `heads` as for `beginWith`. Returns false, without a change, if the repository
 * already has refs.
 */
export async function takeOver(arrival: Repo, repo: Repo, heads: Array<string | null>): Promise<boolean> {
  const refs = await allRefs(arrival)
  if (refs.size === 0) return !(await hasRefs(repo))
  await run(arrival, ['pack-refs', '--all'], costly)
  const packed = await readFile(join(arrival.dir, packedRefs))
  await movePacks(arrival, repo)
  return begin(repo, refs, packed, heads)
}

/** Packs keep their names, so it doesn't matter if an earlier attempt has moved some of them. */
async function movePacks(arrival: Repo, repo: Repo): Promise<void> {
  const from = join(arrival.dir, 'objects', 'pack')
  const to = join(repo.dir, 'objects', 'pack')
  for (const name of packsIn(await readdir(from)).flat()) await rename(join(from, name), join(to, name))
  await syncFolder(to)
}

/**
 * Gives these refs to a repository that has none, all or none, and points its HEAD at the first of `heads` that is one of its branches,
 * otherwise at any branch. Returns false if it already has refs. The objects must exist.
 */
export async function beginWith(repo: Repo, refs: Map<string, string>, heads: Array<string | null>): Promise<boolean> {
  const started = await begin(repo, refs, Buffer.from([...refs].map(([ref, oid]) => `${oid} ${ref}\n`).join('')), heads)
  // When git packs the refs, it records what each tag leads to, which makes listing them faster.
  if (started) await run(repo, ['pack-refs', '--all'], costly)
  return started
}

const costly = { deadline_ms: 60 * 60 * 1000, low_priority: true }
const packedRefs = 'packed-refs'

/**
 * Git would create refs one by one, so a process killed in between would leave some of them. The packed-refs file is replaced atomically.
 * @param packed that file
 */
async function begin(repo: Repo, refs: Map<string, string>, packed: Buffer, heads: Array<string | null>): Promise<boolean> {
  const fresh = join(repo.dir, `${prefix}refs-${randomBytes(8).toString('hex')}`)
  await writeFile(fresh, packed, { flush: true })
  try {
    return await whileLocked(repo, fresh, async () => {
      if (await hasRefs(repo)) return false
      await pointHead(repo, refs, heads)
      await renameDurably(fresh, join(repo.dir, packedRefs))
      return true
    })
  } finally {
    await rm(fresh, { force: true })
  }
}

async function pointHead(repo: Repo, refs: Map<string, string>, heads: Array<string | null>): Promise<void> {
  const branches = [...refs.keys()].flatMap((ref) => branchOf(ref) ?? [])
  const head = [...heads, 'main', 'master', ...branches].find((name) => name !== null && refs.has(`refs/heads/${name}`)) ?? null
  if (head !== null) await setHead(repo, head)
}

/** Far longer than any process holds the lock of a repository without refs. */
const lockAge_ms = 10_000
const lookAgain_ms = 50

/** Takes git's lock of the packed refs, so that neither overwrites the other. Any file can serve as the lock. */
async function whileLocked<T>({ dir }: Repo, file: string, work: () => Promise<T>): Promise<T> {
  const lock = join(dir, `${packedRefs}.lock`)
  while (!(await linkOnce(file, lock))) {
    const held = await stat(lock).catch(() => null)
    if (held && Date.now() - held.ctimeMs > lockAge_ms) await rm(lock, { force: true })
    else await setTimeout(lookAgain_ms)
  }
  return work().finally(() => rm(lock, { force: true }))
}

async function hasRefs(repo: Repo): Promise<boolean> {
  return (await run(repo, ['for-each-ref', '--count=1'])).length > 0
}
