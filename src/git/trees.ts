/** Listing what a commit holds. */
import { command } from './command.ts'
import { remembered } from './memory.ts'
import { pathParts } from './names.ts'
import type { TreeEntry } from './parse.ts'
import { findEntry, openTree, readCommit } from './read.ts'
import { type Repo, run } from './repository.ts'
import { flatTree } from './tree-object.ts'

/** An entry with its path from the root. */
export interface ListedEntry extends TreeEntry {
  path: string
}

/**
 * One page of what is below `path` in a commit, and how many entries there are: trees first, then blobs, then submodules.
 * With `recursive` all of them, however deep. Null when `path` is no tree.
 */
export async function listTree(
  repo: Repo,
  { commit, path, recursive }: { commit: string; path: string; recursive: boolean },
  page: { limit: number; offset: number },
): Promise<{ rows: ListedEntry[]; total: number } | null> {
  const parts = pathParts(path)
  if (!parts) return null
  const root = (await readCommit(repo, commit)).tree
  const found = parts.length === 0 ? { oid: root, type: 'tree' } : await findEntry(repo, root, path)
  if (found?.type !== 'tree') return null
  const tree = recursive ? await walkTree(repo, found.oid) : await openTree(repo, found.oid)
  if (!tree) return null
  const prefix = parts.map((part) => `${part}/`).join('')
  const rows: ListedEntry[] = []
  for (let index = page.offset; index < Math.min(page.offset + page.limit, tree.length); index += 1) {
    const { name, ...rest } = tree.entry(index)
    rows.push({ ...rest, name: name.slice(name.lastIndexOf('/') + 1), path: prefix + name })
  }
  return { rows, total: tree.length }
}

/** Everything below a tree, named by its path from there: one process, remembered. */
function walkTree(repo: Repo, oid: string) {
  return remembered(
    repo.git.known,
    `${repo.dir} walk ${oid}`,
    async () => flatTree(await run(repo, command`ls-tree -r -t -z ${oid}`)),
    ({ bytes }) => bytes,
  )
}
