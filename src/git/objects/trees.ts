/** Lists the files and folders of a commit. */
import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../failure.ts'
import { command } from '../process/command.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import type { TreeEntry } from './parse.ts'
import { pathParts } from './paths.ts'
import { findEntry, openTree, readCommit } from './read.ts'
import { flatTree, type Tree } from './tree-object.ts'
import { requireListableTree } from './unfolding.ts'

/** An entry with its path from the root. */
export interface ListedEntry extends TreeEntry {
  path: string
}

interface ListedPage {
  rows: ListedEntry[]
  /** Number of entries on all pages. */
  total: number
  /** Whether there are more entries after this page. */
  more: boolean
}

/**
 * One page of the entries below `path` in a commit, and the number of all entries: trees first, then blobs, then submodules. With
 * `recursive`, entries of all depths. A page begins at an offset, or after a path. Null if `path` is not a tree.
 */
export async function listTree(
  repo: Repo,
  { commit, path, recursive }: { commit: string; path: string; recursive: boolean },
  page: { limit: number; offset: number; after?: string },
): Promise<ListedPage | null> {
  const parts = pathParts(path)
  if (!parts) return null
  const root = (await readCommit(repo, commit)).tree
  const found = parts.length === 0 ? { oid: root, type: 'tree' } : await findEntry(repo, root, path)
  if (found?.type !== 'tree') return null
  const prefix = parts.map((part) => `${part}/`).join('')
  const open = () => (recursive ? walkTree(repo, found.oid) : openTree(repo, found.oid))
  const { limit } = page
  const offset = page.after === undefined ? page.offset : await positionAfter(await open(), prefix, page.after)
  return cached(
    repo.git.cache,
    `${repo.dir} page ${found.oid} ${recursive} ${limit}+${offset} ${prefix}`,
    async () => {
      const tree = await open()
      return tree && pageOfTree(tree, prefix, { limit, offset })
    },
    // Includes what replies derive from the entries.
    (listed) => (listed?.rows ?? []).reduce((sum, { path }) => sum + 350 + 4 * path.length, 100),
  )
}

/** Entries compared per turn of the event loop; each must be decoded. */
const comparedAtOnce = 5_000

/** Throws 400 if no entry has this path, for example because it was removed since the previous page. */
async function positionAfter(tree: Tree | null, prefix: string, path: string): Promise<number> {
  for (let index = 0; index < (tree?.length ?? 0); index += 1) {
    if (prefix + tree?.entry(index).name === path) return index + 1
    if (index % comparedAtOnce === 0) await turn()
  }
  throw new Failure('invalid', '400 The page_token is no longer valid')
}

function pageOfTree(tree: Tree, prefix: string, { limit, offset }: { limit: number; offset: number }): ListedPage {
  const rows: ListedEntry[] = []
  for (let index = offset; index < Math.min(offset + limit, tree.length); index += 1) {
    const { name, ...rest } = tree.entry(index)
    rows.push({ ...rest, name: name.slice(name.lastIndexOf('/') + 1), path: prefix + name })
  }
  return { rows, total: tree.length, more: offset + limit < tree.length }
}

/** Everything below a tree, with paths relative to it. One process, cached. */
export function walkTree(repo: Repo, oid: string) {
  return cached(
    repo.git.cache,
    `${repo.dir} walk ${oid}`,
    async () => {
      await requireListableTree(repo, oid)
      return flatTree(await runCostly(repo, command`ls-tree -r -t -z ${oid}`))
    },
    ({ bytes }) => bytes,
  )
}
