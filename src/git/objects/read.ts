/** Reads single objects by id or path, through the object cache. */

import type { ObjectInfo } from '../process/cat-file-pool.ts'
import { cached } from '../repository/object-cache.ts'
import type { Repo } from '../repository/repository.ts'
import { isObjectId } from './object-id.ts'
import { type AnnotatedTag, type Commit, parseCommit, parseTag, type TreeEntry } from './parse.ts'
import { pathParts } from './paths.ts'
import { type Tree, treeOf } from './tree-object.ts'

/** `oid` must be the id of an existing commit. */
export async function readCommit(repo: Repo, oid: string): Promise<Commit> {
  const commit = await readParsed(repo, oid, 'commit', parseCommit, (value) => bytesOfCommits([value]))
  if (!commit) throw new Error(`${oid} is no commit`)
  return commit
}

/** Estimated size in memory, including what replies derive from them. */
export function bytesOfCommits(commits: Commit[]): number {
  return commits.reduce((sum, { message }) => sum + 1_500 + 6 * message.length, 0)
}

const firstGroup = 4
const group_bytes = 1024 * 1024

/**
 * Reads commits in groups, sized by the commits read so far, so that a caller that stops at a byte limit has requested little more than
 * that. Everything requested is written by git and read by this process, even if it is dropped.
 */
export async function readCommits(repo: Repo, oids: string[]): Promise<Commit[]> {
  const commits: Commit[] = []
  for (let size = firstGroup; commits.length < oids.length; ) {
    const group = oids.slice(commits.length, commits.length + size)
    commits.push(...(await Promise.all(group.map((oid) => readCommit(repo, oid)))))
    size = Math.max(1, Math.floor((commits.length * group_bytes) / bytesOfCommits(commits)))
  }
  return commits
}

/** Limit of the characters of all commits in an answer that isn't a list. */
export const maxCommits_chars = 4 * 1024 * 1024
/** Number of commits read at once while counting. */
const readTogether = 20

/**
 * The first of these commits whose characters together stay within the limit, at least one if there are any. They are counted while they
 * are read, as a single message may be as long as an object may be.
 */
export async function readCommitsWithin(repo: Repo, oids: string[], max_chars: number = maxCommits_chars): Promise<Commit[]> {
  const commits: Commit[] = []
  let left = max_chars
  for (let at = 0; at < oids.length; at += readTogether) {
    for (const commit of await readCommits(repo, oids.slice(at, at + readTogether))) {
      left -= charsOf(commit)
      if (left < 0 && commits.length > 0) return commits
      commits.push(commit)
    }
  }
  return commits
}

function charsOf({ oid, message, author, committer, parents }: Commit): number {
  const people = [author, committer].reduce((sum, { name, email }) => sum + name.length + email.length, 0)
  return message.length + people + parents.length * oid.length
}

export function readTag(repo: Repo, oid: string): Promise<AnnotatedTag | null> {
  return readParsed(repo, oid, 'tag', parseTag, (value) => 400 + 2 * value.message.length)
}

/** Reads one tree; null if `oid` is not a tree. */
export function openTree(repo: Repo, oid: string): Promise<Tree | null> {
  return readParsed(
    repo,
    oid,
    'tree',
    // Copied, since a slice would keep the whole chunk in memory.
    (_, data) => treeOf(data.length < 64 * 1024 ? Buffer.from(data) : data, oid.length / 2),
    ({ bytes }) => bytes,
  )
}

async function readParsed<T>(
  repo: Repo,
  oid: string,
  type: string,
  parse: (oid: string, data: Buffer) => T,
  bytesOf: (value: T) => number,
): Promise<T | null> {
  return cached(
    repo.git.cache,
    `${repo.dir} ${type} ${oid}`,
    async () => {
      const object = await repo.git.objects.contents(repo.dir, oid)
      return object?.type === type ? parse(object.oid, object.data) : null
    },
    (value) => (value === null ? 0 : bytesOf(value)),
  )
}

/** Finds the entry at `path` in the commit or tree `oid`; null if there is none. The root has no entry. */
export async function findEntry(repo: Repo, treeOid: string, path: string): Promise<TreeEntry | null> {
  const parts = pathParts(path)
  if (!parts || parts.length === 0) return null
  let entry: TreeEntry = { mode: '040000', type: 'tree', oid: treeOid, name: '' }
  for (const part of parts) {
    const next: TreeEntry | null | undefined = entry.type === 'tree' ? (await openTree(repo, entry.oid))?.find(part) : null
    if (!next) return null
    entry = next
  }
  return entry
}

/** Size and type of an object without its content; null if there is none. */
export function objectInfo(repo: Repo, oid: string): Promise<ObjectInfo | null> {
  const read = () => repo.git.objects.info(repo.dir, oid)
  return isObjectId(oid) ? cached(repo.git.cache, `${repo.dir} info ${oid}`, read, () => 150) : read()
}
