/**
 * What comes from elsewhere arrives in a repository of its own, and is taken over whole: all of it, and only where nothing is
 * yet. So whatever fails leaves nothing, and whoever comes too late changes nothing.
 */
import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { extraConfig } from './extra-config.ts'
import { packsIn, withoutFlush } from './mirror.ts'
import { branchOf } from './ref-updates.ts'
import { allRefs, setHead } from './refs.ts'
import { createRepository, type Repo, run } from './repository.ts'

const prefix = 'arriving-'

/**
 * An empty repository in the folder of the other. It is the only one: of two that bring the same the later goes on, and the
 * earlier finds its own gone. The caller closes it.
 */
export async function openArrival(repo: Repo): Promise<Repo> {
  const before = (await readdir(repo.dir)).filter((name) => name.startsWith(prefix))
  for (const name of before) await remove(join(repo.dir, name))
  const arrival = { ...repo, dir: join(repo.dir, `${prefix}${randomBytes(8).toString('hex')}`) }
  await createRepository(arrival, 'main')
  return arrival
}

export function closeArrival({ dir }: Repo): Promise<void> {
  return remove(dir)
}

/** False when somebody has begun anew since, or the whole repository has gone. */
export async function isOpen({ dir }: Repo): Promise<boolean> {
  return (await stat(dir).catch(() => null)) !== null
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Gives a repository all that has arrived; `heads` as for `beginWith`. False where it has refs already: then they stay as they
 * are.
 */
export async function takeOver(arrival: Repo, repo: Repo, heads: Array<string | null>): Promise<boolean> {
  const refs = await allRefs(arrival)
  // As bytes: a name that is no UTF-8 stays what it is.
  const orders = await run(arrival, ['for-each-ref', '--format=create %(refname)%00%(objectname)%00'])
  await movePacks(arrival, repo)
  return begin(repo, refs, Buffer.from(orders.toString('latin1').replaceAll('\0\n', '\0'), 'latin1'), heads)
}

/** Packs keep their names, so it doesn't matter if some have moved already. */
async function movePacks(arrival: Repo, repo: Repo): Promise<void> {
  const from = join(arrival.dir, 'objects', 'pack')
  const to = join(repo.dir, 'objects', 'pack')
  for (const name of packsIn(await readdir(from)).flat()) await rename(join(from, name), join(to, name))
  const folder = await open(to)
  await folder.sync().finally(() => folder.close())
}

/**
 * Makes these the refs of a repository that has none, all or none, and points its HEAD at the first of `heads` that is a branch
 * of it, otherwise at any branch. False where it has refs already.
 */
export function beginWith(repo: Repo, refs: Map<string, string>, heads: Array<string | null>): Promise<boolean> {
  return begin(repo, refs, Buffer.from([...refs].map(([ref, oid]) => `create ${ref}\0${oid}\0`).join('')), heads)
}

const deadline_ms = 60 * 60 * 1000

/** @param orders for git, that make the refs */
async function begin(repo: Repo, refs: Map<string, string>, orders: Buffer, heads: Array<string | null>): Promise<boolean> {
  if (await hasRefs(repo)) return false
  const branches = [...refs.keys()].flatMap((ref) => branchOf(ref) ?? [])
  const head = [...heads, 'main', 'master', ...branches].find((name) => name !== null && refs.has(`refs/heads/${name}`)) ?? null
  if (head !== null) await setHead(repo, head)
  const options = { deadline_ms, low_priority: true }
  const input = Buffer.concat([Buffer.from('start\0'), orders, Buffer.from('prepare\0commit\0')])
  try {
    await run(repo, ['update-ref', '--stdin', '-z'], { ...options, input, env: extraConfig(withoutFlush) })
  } catch (error) {
    if (await hasRefs(repo)) return false
    throw error
  }
  await run(repo, ['pack-refs', '--all'], options)
  return true
}

async function hasRefs(repo: Repo): Promise<boolean> {
  return (await run(repo, ['for-each-ref', '--count=1'])).length > 0
}
