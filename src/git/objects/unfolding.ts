/**
 * Guards against tree bombs: a tree that contains the same tree ten times, which again contains the same tree ten times, and so on, is
 * stored in a few kilobytes and lists ten billion files. So entries are counted first, by reading each distinct tree once.
 */
import { Failure } from '../../failure.ts'
import { clientGone } from '../process/run.ts'
import { cached } from '../repository/object-cache.ts'
import type { Repo } from '../repository/repository.ts'
import type { TreeEntry } from './parse.ts'
import { openTree } from './read.ts'
import { type Tree, treeOf } from './tree-object.ts'

/** Limit of folders and files together. The largest known repositories have half as many. */
const maxEntries = 1_000_000
/** Limit of nesting: git descends by recursion. */
const maxDepth = 1_000

function refused(): Failure {
  return new Failure('unprocessable', `422 The tree unfolds to more than ${maxEntries} entries, or has more than ${maxDepth} levels`)
}

/**
 * Throws `unprocessable` if the tree of the commit or tree `oid` unfolds to more entries than can be listed. Counting is expensive itself:
 * a million trees take a minute.
 */
export async function requireListableTree(repo: Repo, oid: string): Promise<void> {
  const isKnown = repo.git.cache.get(keyOf(repo, oid)) !== undefined
  await (isKnown ? countEntries(repo, oid) : repo.git.costly.run(repo, () => countEntries(repo, oid)))
}

/**
 * Throws `unprocessable` if the difference between the trees of two commits unfolds to more entries than can be listed. With `from` null,
 * all of `to` counts. Only folders that differ are examined.
 */
export async function requireListableChange(repo: Repo, from: string | null, to: string): Promise<void> {
  if (from === null) return requireListableTree(repo, to)
  const [before, after] = await Promise.all([rootOf(repo, from), rootOf(repo, to)])
  if (before !== after) await repo.git.costly.run(repo, () => countChanges(repo, before, after, { entries: 0, seen: new Map() }, 0))
}

/** Stops the count when the client has left: object reads don't stop with the client by themselves. */
function requireClient({ signal }: Repo): void {
  if (signal?.aborted) throw clientGone()
}

/** The tree of a commit, or the tree itself; null if `oid` is neither. */
async function rootOf(repo: Repo, oid: string): Promise<string | null> {
  return (await repo.git.objects.info(repo.dir, `${oid}^{tree}`))?.oid ?? null
}

interface Found {
  /** Direct entries, without those of subfolders. */
  own: number
  folders: string[]
}

function keyOf(repo: Repo, oid: string): string {
  return `${repo.dir} entries ${oid}`
}

/** Number of entries of a tree at all depths. */
function countEntries(repo: Repo, oid: string): Promise<number> {
  return cached(
    repo.git.cache,
    keyOf(repo, oid),
    async () => {
      const root = await rootOf(repo, oid)
      return root === null ? 0 : unfold(await findTrees(repo, root), root)
    },
    () => 8,
  )
}

const atOnce = 8

/** Finds every distinct tree below `root`, level by level. Not cached: large repositories have too many. */
async function findTrees(repo: Repo, root: string): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  let entries = 0
  let level = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw refused()
    const next = new Set<string>()
    for (let at = 0; at < level.length; at += atOnce) {
      requireClient(repo)
      const oids = level.slice(at, at + atOnce)
      const trees = await Promise.all(oids.map((oid) => readPlainTree(repo, oid)))
      trees.forEach((tree, index) => {
        entries += tree?.length ?? 0
        // Checked before the subfolders are read: eight trees of two million folders would exhaust memory.
        if (entries > maxEntries) throw refused()
        const folders = tree ? foldersOf(tree).map(({ oid }) => oid) : []
        found.set(oids[index] as string, { own: tree?.length ?? 0, folders })
        for (const oid of folders) next.add(oid)
      })
    }
    level = [...next].filter((oid) => !found.has(oid))
  }
  return found
}

async function readPlainTree({ dir, git }: Repo, oid: string): Promise<Tree | null> {
  const object = await git.objects.contents(dir, oid)
  return object?.type === 'tree' ? treeOf(object.data, oid.length / 2) : null
}

/** Folders come first in a `Tree`. */
function foldersOf(tree: Tree): TreeEntry[] {
  const folders: TreeEntry[] = []
  for (let index = 0; index < tree.length; index += 1) {
    const entry = tree.entry(index)
    if (entry.type !== 'tree') break
    folders.push(entry)
  }
  return folders
}

/** A tree can't contain itself, so this ends; its depth was limited when it was found. */
function unfold(found: Map<string, Found>, root: string): number {
  const totals = new Map<string, number>()
  const totalOf = (oid: string, depth: number): number => {
    const known = totals.get(oid)
    if (known !== undefined) return known
    if (depth > maxDepth) throw refused()
    const { own = 0, folders = [] } = found.get(oid) ?? {}
    const total = folders.reduce((sum, folder) => sum + totalOf(folder, depth + 1), own)
    if (total > maxEntries) throw refused()
    totals.set(oid, total)
    return total
  }
  return totalOf(root, 0)
}

interface Counting {
  entries: number
  /** Entries below a pair of differing folders. */
  seen: Map<string, number>
}

async function countChanges(repo: Repo, from: string | null, to: string | null, counting: Counting, depth: number): Promise<void> {
  if (depth > maxDepth) throw refused()
  requireClient(repo)
  const key = `${from} ${to}`
  const before = counting.entries
  const known = counting.seen.get(key)
  if (known !== undefined) add(counting, known)
  else if (from === null || to === null) add(counting, await countEntries(repo, (from ?? to) as string))
  else await countWithin(repo, from, to, counting, depth)
  counting.seen.set(key, counting.entries - before)
}

async function countWithin(repo: Repo, from: string, to: string, counting: Counting, depth: number): Promise<void> {
  const [before, after] = await Promise.all([openTree(repo, from), openTree(repo, to)])
  // At least as many as differ here, at most as many as exist.
  add(counting, Math.max(before?.length ?? 0, after?.length ?? 0))
  const left = new Map((before ? foldersOf(before) : []).map(({ name, oid }) => [name, oid]))
  for (const { name, oid } of after ? foldersOf(after) : []) {
    const old = left.get(name) ?? null
    left.delete(name)
    if (old !== oid) await countChanges(repo, old, oid, counting, depth + 1)
  }
  for (const old of left.values()) await countChanges(repo, old, null, counting, depth + 1)
}

function add(counting: Counting, entries: number): void {
  counting.entries += entries
  if (counting.entries > maxEntries) throw refused()
}
