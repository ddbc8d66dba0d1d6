/** Cursors of pages of a history, for URLs: commit ids, packed. */
import { notFound } from '../../../failure.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** A history that is so wide that a page starts with more is paged by number. */
const maxCommits = 120

/** Null for too many. */
export function writeCursor(oids: readonly string[]): string | null {
  return oids.length > maxCommits ? null : Buffer.from(oids.join(''), 'hex').toString('base64url')
}

/**
 * Throws 404 for an invalid cursor, or one that names something other than a commit.
 * @param digits of an id in this repository
 */
export async function readCursor(repo: Repo, text: string, digits: number): Promise<string[]> {
  const all = Buffer.from(text, 'base64url').toString('hex')
  const oids = all.match(new RegExp(`[0-9a-f]{${digits}}`, 'g')) ?? []
  if (oids.length === 0 || oids.length > maxCommits || oids.length * digits !== all.length) throw notFound('Page')
  const found = await Promise.all(oids.map((oid) => objectInfo(repo, oid)))
  if (found.some((info) => info?.type !== 'commit')) throw notFound('Page')
  return oids
}
