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

/** Names of refs have few parts; what is deeper is the path. */
const maxParts = 10

/** Both may hold slashes: the longest revision that exists counts. Null where none does. */
async function splitRevision(repo: Repo, text: string): Promise<Place | null> {
  const parts = text.split('/')
  const lengths = Array.from({ length: Math.min(parts.length, maxParts) }, (_, index) => index + 1)
  // All at once: one process answers them, in order.
  const commits = await Promise.all(lengths.map((length) => resolveCommit(repo, parts.slice(0, length).join('/'))))
  const found = commits.findLastIndex((commit) => commit !== null)
  const commit = commits[found]
  if (!commit) return null
  return { revision: parts.slice(0, found + 1).join('/'), commit, path: parts.slice(found + 1).join('/') }
}

/** As `splitRevision`. Throws 404 where there is no such revision. */
export async function placeAt(repo: Repo, text: string): Promise<Place> {
  const place = await splitRevision(repo, text)
  if (!place) throw notFound('Revision')
  return place
}

/** The address of a page about a revision and a path: `tree`, `blob`, `raw`, `commits`. */
export function addressAt(projectPath: string, page: string, revision: string, path = ''): string {
  const parts = [...revision.split('/'), ...(path === '' ? [] : path.split('/'))]
  return `/${projectPath}/${page}/${parts.map(encodeURIComponent).join('/')}`
}
