/** Listing what a commit holds. */
import { command } from './command.ts'
import { remembered } from './memory.ts'
import { pathParts } from './names.ts'
import { parseLsTree, type TreeEntry } from './parse.ts'
import { findEntry, readCommit, readTree } from './read.ts'
import { type Repo, run } from './repository.ts'

/** An entry with its path from the root. */
export interface ListedEntry extends TreeEntry {
  path: string
}

const order = { tree: 0, blob: 1, commit: 2 }

/**
 * The entries below `path` of a commit: trees first, then blobs, then submodules. With `recursive` all of them, however
 * deep. Null when `path` is no tree.
 */
export async function listTree(repo: Repo, commitOid: string, path: string, recursive: boolean): Promise<ListedEntry[] | null> {
  const parts = pathParts(path)
  if (!parts) return null
  const { tree } = await readCommit(repo, commitOid)
  const found = parts.length === 0 ? { oid: tree, type: 'tree' } : await findEntry(repo, tree, path)
  if (found?.type !== 'tree') return null
  const prefix = parts.map((part) => `${part}/`).join('')
  return remembered(
    repo.git.known,
    `${repo.dir} ${recursive ? 'walk' : 'list'} ${found.oid} ${prefix}`,
    async () => {
      const entries = recursive
        ? parseLsTree(await run(repo, command`ls-tree -r -t -z ${found.oid}`))
        : ((await readTree(repo, found.oid)) ?? [])
      return entries
        .map(({ name, ...rest }) => ({ ...rest, name: name.slice(name.lastIndexOf('/') + 1), path: prefix + name }))
        .sort((a, b) => order[a.type] - order[b.type])
    },
    (entries) => entries.length * 400,
  )
}
