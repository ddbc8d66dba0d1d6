/** CI files in a repository, and the paths that rules ask for. */
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { walkTree } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** What is read of a file; the parser takes no more. */
const maxFile_bytes = 4 * 1024 * 1024
/** Of a commit. Beyond, everything counts as being there. */
const maxPaths = 100_000

/** The text of a file of a commit; null where there is none. */
export async function fileAt(repo: Repo, commit: string, path: string): Promise<string | null> {
  const { tree } = await readCommit(repo, commit)
  const entry = await findEntry(repo, tree, path.replace(/^\/+/, ''))
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info || info.size > maxFile_bytes) return null
  return (await readBlob(repo, entry.oid))?.data.toString('utf8') ?? null
}

/** The paths of all files of a commit; null when they are too many. One process, cached. */
export async function pathsOf(repo: Repo, commit: string): Promise<string[] | null> {
  const { tree } = await readCommit(repo, commit)
  const files = await walkTree(repo, tree)
  if (files.length > maxPaths) return null
  const paths: string[] = []
  for (let index = 0; index < files.length; index += 1) {
    const { type, name } = files.entry(index)
    if (type === 'blob') paths.push(name)
  }
  return paths
}
