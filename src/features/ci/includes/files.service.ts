/** CI files in a repository, and the paths that rules test. */
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { walkTree } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** Maximum size of a file; the parser accepts no more. */
const maxFile_bytes = 4 * 1024 * 1024
/** Limits of the number of paths and their characters. Beyond them every path counts as existing. */
const maxPaths = 100_000
const maxPaths_chars = 16_000_000

/** The text of a file of a commit; null if there is none, or it is too large. */
export async function fileAt(repo: Repo, commit: string, path: string): Promise<string | null> {
  const found = await includedFileAt(repo, commit, path, maxFile_bytes)
  return found && 'text' in found ? found.text : null
}

/** `fileAt` for callers that must tell a missing file from one that is too large. */
export async function includedFileAt(
  repo: Repo,
  commit: string,
  path: string,
  max_bytes: number,
): Promise<{ text: string } | { isTooLarge: true } | null> {
  const { tree } = await readCommit(repo, commit)
  const entry = await findEntry(repo, tree, path.replace(/^\/+/, ''))
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info) return null
  if (info.size > max_bytes) return { isTooLarge: true }
  const blob = await readBlob(repo, entry.oid)
  return blob && { text: blob.data.toString('utf8') }
}

/** The paths of all files of a commit; null if there are too many. One process, cached. */
export async function pathsOf(repo: Repo, commit: string): Promise<string[] | null> {
  const { tree } = await readCommit(repo, commit)
  const files = await walkTree(repo, tree)
  if (files.length > maxPaths) return null
  const paths: string[] = []
  let chars = 0
  for (let index = 0; index < files.length; index += 1) {
    const { type, name } = files.entry(index)
    if (type !== 'blob') continue
    chars += name.length
    if (chars > maxPaths_chars) return null
    paths.push(name)
  }
  return paths
}
