/** Splits a URL path into a revision and a path: `/:project/tree/feature/one/src/main.c`. */
import { notFound } from '../../failure.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import type { Repo } from '../../git/repository/repository.ts'

export interface Place {
  /** The branch, tag or commit, as in the URL. */
  revision: string
  /** The id of its commit. */
  commit: string
  /** Without leading and trailing slashes; empty for the root. */
  path: string
}

/** Equals the limit of the API. */
const longestPath = 4_096

/** Names of refs have fewer parts; what is deeper is the path. */
const maxParts = 40

/**
 * Both may contain slashes. The first part decides if it is a commit id, `HEAD` or a branch, as no branch name is the prefix directory of
 * another. So a tag `main/src` can't hide the folder `src` of the branch `main`, and no ref can hide a folder of a commit. Otherwise, the
 * longest existing revision counts. Null if there is none.
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

/** As `splitRevision`. Throws 404 if there is no such revision. */
export async function placeAt(repo: Repo, text: string): Promise<Place> {
  const place = await splitRevision(repo, text)
  if (!place || place.path.length > longestPath) throw notFound('Revision')
  return place
}

/** Limit of linked folders above a path: each URL repeats everything before it, and anybody can write a URL with a long path. */
const maxFolders = 30

/** The folders above a path, from the root down: the name and path of each. For a very deep path, only the nearest ones. */
export function foldersAbove(path: string): Array<{ name: string; path: string }> {
  const parts = path.split('/')
  const first = Math.max(0, parts.length - 1 - maxFolders)
  return parts.slice(first, -1).map((name, index) => ({ name, path: parts.slice(0, first + index + 1).join('/') }))
}
