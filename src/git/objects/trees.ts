/** Lists the files and folders of a commit. */
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
  /** How many entries there are on all pages. */
  total: number
}

/**
 * One page of what is below `path` in a commit, and how many entries there are: trees first, then blobs, then submodules.
 * With `recursive` all of them, however deep. Null when `path` is no tree.
 */
export async function listTree(
  repo: Repo,
  { commit, path, recursive }: { commit: string; path: string; recursive: boolean },
  page: { limit: number; offset: number },
): Promise<ListedPage | null> {
  const parts = pathParts(path)
  if (!parts) return null
  const root = (await readCommit(repo, commit)).tree
  const found = parts.length === 0 ? { oid: root, type: 'tree' } : await findEntry(repo, root, path)
  if (found?.type !== 'tree') return null
  const prefix = parts.map((part) => `${part}/`).join('')
  return cached(
    repo.git.cache,
    `${repo.dir} page ${found.oid} ${recursive} ${page.limit}+${page.offset} ${prefix}`,
    async () => {
      const tree = recursive ? await walkTree(repo, found.oid) : await openTree(repo, found.oid)
      return tree && pageOfTree(tree, prefix, page)
    },
    // With what is made of it for a reply.
    (listed) => (listed?.rows ?? []).reduce((sum, { path }) => sum + 350 + 4 * path.length, 100),
  )
}

function pageOfTree(tree: Tree, prefix: string, { limit, offset }: { limit: number; offset: number }): ListedPage {
  const rows: ListedEntry[] = []
  for (let index = offset; index < Math.min(offset + limit, tree.length); index += 1) {
    const { name, ...rest } = tree.entry(index)
    rows.push({ ...rest, name: name.slice(name.lastIndexOf('/') + 1), path: prefix + name })
  }
  return { rows, total: tree.length }
}

/** Everything below a tree, with paths relative to it: one process, cached. */
function walkTree(repo: Repo, oid: string) {
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
