/** A revision and a path that stand in one address: `/:project/tree/feature/one/src/main.c`. */
import { notFound } from '../../failure.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import type { Repo } from '../../git/repository/repository.ts'

export interface Place {
  /** The branch, tag or commit, as the address has it. */
  revision: string
  /** The id of its commit. */
  commit: string
  /** Without slashes around it; empty for the root. */
  path: string
}

/** As in the API. */
const longestPath = 4_096

/** Names of refs have fewer parts; what is deeper is the path. */
const maxParts = 40

/**
 * Both may hold slashes. An id, `HEAD` or a branch counts as one at once, and no branch begins with the name of another. So no tag
 * `main/src` stands where an address means the folder `src` of the branch `main`, and no ref at all where it means that of a commit.
 * Otherwise the longest revision that exists counts. Null where none does.
 */
async function splitRevision(repo: Repo, text: string): Promise<Place | null> {
  const parts = text.split('/')
  const isFixed = /^(?:HEAD|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(parts[0] ?? '')
  const revisions = Array.from({ length: isFixed ? 1 : Math.min(parts.length, maxParts) }, (_, index) =>
    parts.slice(0, index + 1).join('/'),
  )
  // All at once: one process answers them, in order.
  const branches = await Promise.all(revisions.map((revision) => resolveCommit(repo, `refs/heads/${revision}`)))
  const isBranch = branches.some((commit) => commit !== null)
  const commits = isBranch ? branches : await Promise.all(revisions.map((revision) => resolveCommit(repo, revision)))
  const found = commits.findLastIndex((commit) => commit !== null)
  const commit = commits[found]
  if (!commit) return null
  return { revision: parts.slice(0, found + 1).join('/'), commit, path: parts.slice(found + 1).join('/') }
}

/** As `splitRevision`. Throws 404 where there is no such revision. */
export async function placeAt(repo: Repo, text: string): Promise<Place> {
  const place = await splitRevision(repo, text)
  if (!place || place.path.length > longestPath) throw notFound('Revision')
  return place
}

/** So many folders above a path are links: each address repeats all that is before it, and paths come from whoever writes an address. */
const maxFolders = 30

/** The folders above a path, from the root down: the last part of each, and its path. Of very deep ones those that are nearest. */
export function foldersAbove(path: string): Array<{ name: string; path: string }> {
  const parts = path.split('/')
  const first = Math.max(0, parts.length - 1 - maxFolders)
  return parts.slice(first, -1).map((name, index) => ({ name, path: parts.slice(0, first + index + 1).join('/') }))
}
