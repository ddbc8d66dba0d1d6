/**
 * Staged import: what comes from elsewhere is fetched into a repository of its own, and adopted all at once, if the target is
 * still empty. A failure leaves nothing behind, and a late import changes nothing.
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
 * An empty repository in the folder of the other. It is the only one: of two that bring the same the later goes on, and the
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

/** How much has arrived so far, in bytes: packs, also those that are being written. */
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

/** False when another run has started since, or the repository was deleted. */
export async function isOpen({ dir }: Repo): Promise<boolean> {
  return (await stat(dir).catch(() => null)) !== null
}

/** Under another name first: who is just taking it over finds all of it, or nothing. */
async function remove(path: string): Promise<void> {
  const going = `${path}.going`
  await rename(path, going).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rm(going, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Gives a repository all that has arrived; `heads` as for `beginWith`. False where it has refs already: then they stay as they
 * are.
 */
export async function takeOver(arrival: Repo, repo: Repo, heads: Array<string | null>): Promise<boolean> {
  const refs = await allRefs(arrival)
  if (refs.size === 0) return !(await hasRefs(repo))
  await run(arrival, ['pack-refs', '--all'], costly)
  const packed = await readFile(join(arrival.dir, packedRefs))
  await movePacks(arrival, repo)
  return begin(repo, refs, packed, heads)
}

/** Packs keep their names, so it doesn't matter if some have moved already. */
async function movePacks(arrival: Repo, repo: Repo): Promise<void> {
  const from = join(arrival.dir, 'objects', 'pack')
  const to = join(repo.dir, 'objects', 'pack')
  for (const name of packsIn(await readdir(from)).flat()) await rename(join(from, name), join(to, name))
  await syncFolder(to)
}

/**
 * Makes these the refs of a repository that has none, all or none, and points its HEAD at the first of `heads` that is a branch
 * of it, otherwise at any branch. False where it has refs already. What they lead to must be there.
 */
export async function beginWith(repo: Repo, refs: Map<string, string>, heads: Array<string | null>): Promise<boolean> {
  const started = await begin(repo, refs, Buffer.from([...refs].map(([ref, oid]) => `${oid} ${ref}\n`).join('')), heads)
  // Git notes there what each tag leads to, and need not look for it whenever they are listed.
  if (started) await run(repo, ['pack-refs', '--all'], costly)
  return started
}

const costly = { deadline_ms: 60 * 60 * 1000, low_priority: true }
const packedRefs = 'packed-refs'

/**
 * Git makes refs one by one: who is killed in the middle leaves some of them. The file of packed refs takes its place whole.
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

/** Far longer than anybody holds the lock of a repository without refs. */
const lockAge_ms = 10_000
const lookAgain_ms = 50

/** Holds the lock of the packed refs as git does, so that neither writes over the other. Any file serves as one. */
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
