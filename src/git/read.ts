/** Reading one object: by revision, by id, by path. What is keyed by an object id is remembered. */
import { remembered } from './memory.ts'
import { isObjectId, isRevision, pathParts } from './names.ts'
import type { ObjectInfo } from './objects.ts'
import { type AnnotatedTag, type Commit, parseCommit, parseTag, parseTree, type TreeEntry } from './parse.ts'
import { refState } from './ref-state.ts'
import type { Repo } from './repository.ts'

/** The commit a branch, tag or object id names, or null. Tags are followed. */
export async function resolveCommit(repo: Repo, revision: string): Promise<string | null> {
  if (!isRevision(revision)) return null
  const state = refState(repo, revision)
  const key = `${repo.dir} resolved ${revision}`
  const known = repo.git.known.get<{ state: string; oid: string }>(key)
  if (known && known.state === state) return known.oid
  const found = await repo.git.objects.info(repo.dir, `${revision}^{commit}`)
  if (found && state !== null) repo.git.known.set(key, { state, oid: found.oid }, 200)
  return found?.oid ?? null
}

/** `oid` must be the id of a commit that exists. */
export async function readCommit(repo: Repo, oid: string): Promise<Commit> {
  const commit = await readParsed(repo, oid, 'commit', parseCommit, (value) => bytesOfCommits([value]))
  if (!commit) throw new Error(`${oid} is no commit`)
  return commit
}

/** About how much memory they take. */
export function bytesOfCommits(commits: Commit[]): number {
  return commits.reduce((sum, { message }) => sum + 600 + 2 * message.length, 0)
}

export function readCommits(repo: Repo, oids: string[]): Promise<Commit[]> {
  return Promise.all(oids.map((oid) => readCommit(repo, oid)))
}

export function readTag(repo: Repo, oid: string): Promise<AnnotatedTag | null> {
  return readParsed(repo, oid, 'tag', parseTag, (value) => 400 + 2 * value.message.length)
}

/** The entries of one tree, in git's order; null when `oid` is no tree. */
export function readTree(repo: Repo, oid: string): Promise<TreeEntry[] | null> {
  return readParsed(
    repo,
    oid,
    'tree',
    (_, data) => parseTree(data, oid.length / 2),
    (entries) => entries.length * 300,
  )
}

async function readParsed<T>(
  repo: Repo,
  oid: string,
  type: string,
  parse: (oid: string, data: Buffer) => T,
  bytesOf: (value: T) => number,
): Promise<T | null> {
  return remembered(
    repo.git.known,
    `${repo.dir} ${type} ${oid}`,
    async () => {
      const object = await repo.git.objects.contents(repo.dir, oid)
      return object?.type === type ? parse(object.oid, object.data) : null
    },
    (value) => (value === null ? 0 : bytesOf(value)),
  )
}

/** What stands at `path` in the commit or tree `oid`; null when nothing does. The root has no entry of its own. */
export async function findEntry(repo: Repo, treeOid: string, path: string): Promise<TreeEntry | null> {
  const parts = pathParts(path)
  if (!parts || parts.length === 0) return null
  let entry: TreeEntry | undefined
  for (const part of parts) {
    const tree = entry ? entry.oid : treeOid
    if (entry && entry.type !== 'tree') return null
    entry = (await readTree(repo, tree))?.find((candidate) => candidate.name === part)
    if (!entry) return null
  }
  return entry ?? null
}

/** Size and type of an object without its bytes; null when there is none. */
export function objectInfo(repo: Repo, oid: string): Promise<ObjectInfo | null> {
  const read = () => repo.git.objects.info(repo.dir, oid)
  return isObjectId(oid) ? remembered(repo.git.known, `${repo.dir} info ${oid}`, read, () => 150) : read()
}
