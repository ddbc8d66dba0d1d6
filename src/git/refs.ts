/** Branches and tags. */
import { command } from './command.ts'
import { lines } from './history.ts'
import { isRefName } from './names.ts'
import { readCommit, resolveCommit } from './read.ts'
import { type Repo, run } from './repository.ts'

export interface Ref {
  /** Without `refs/heads/` or `refs/tags/`. */
  name: string
  /** What the ref points to: a commit, or for an annotated tag the tag object. */
  oid: string
  /** The commit it leads to; null for a tag of something else. */
  commit: string | null
  /** When that commit was committed, in seconds since the epoch. */
  committed_at: number
}

type Kind = 'heads' | 'tags'

const format =
  '%(refname)%00%(objectname)%00%(objecttype)%00%(committerdate:unix)%00%(*objectname)%00%(*objecttype)%00%(*committerdate:unix)'

/** All branches or tags, by name: one process. */
export async function listRefs(repo: Repo, kind: Kind): Promise<Ref[]> {
  const output = await run(repo, command`for-each-ref --format=${format} ${`refs/${kind}`}`)
  return Promise.all(lines(output).map((line) => peeled(repo, parseRef(line, kind))))
}

/** Every ref by its full name, and the object it points to: one process. */
export async function allRefs(repo: Repo): Promise<Map<string, string>> {
  const output = await run(repo, ['for-each-ref', '--format=%(objectname) %(refname)'])
  return new Map(
    lines(output).map((line) => {
      const space = line.indexOf(' ')
      return [line.slice(space + 1), line.slice(0, space)]
    }),
  )
}

/** One branch or tag; null when there is none of that name. */
export async function findRef(repo: Repo, kind: Kind, name: string): Promise<Ref | null> {
  if (!isRefName(name)) return null
  const output = await run(repo, command`for-each-ref --format=${format} ${`refs/${kind}/${name}`}`)
  const found = lines(output)
    .map((line) => parseRef(line, kind))
    .find((ref) => ref.name === name)
  return found ? peeled(repo, found) : null
}

/** `for-each-ref` looks behind one tag object; a tag of a tag is followed here. */
async function peeled(repo: Repo, ref: Ref): Promise<Ref> {
  const commit = ref.commit === null ? await resolveCommit(repo, ref.oid) : null
  if (!commit) return ref
  const { committer } = await readCommit(repo, commit)
  return { ...ref, commit, committed_at: Date.parse(committer.date) / 1000 }
}

export function parseRef(line: string, kind: Kind): Ref {
  const [refname = '', oid = '', type, date, targetOid, targetType, targetDate] = line.split('\0')
  const direct = type === 'commit'
  const commit = direct ? oid : targetType === 'commit' ? (targetOid ?? null) : null
  return { name: refname.slice(`refs/${kind}/`.length), oid, commit, committed_at: Number((direct ? date : targetDate) || 0) }
}

/** Names of the branches whose tip can be reached from `commit`: one process. */
export async function mergedBranches(repo: Repo, commit: string): Promise<Set<string>> {
  const output = await run(repo, ['for-each-ref', '--format=%(refname)', `--merged=${commit}`, 'refs/heads'])
  return new Set(lines(output).map((line) => line.slice('refs/heads/'.length)))
}

/** The branch HEAD names, whether or not it exists. */
export async function readHead(repo: Repo): Promise<string> {
  const output = await run(repo, command`symbolic-ref --quiet HEAD`)
  return output
    .toString('utf8')
    .trim()
    .replace(/^refs\/heads\//, '')
}

/** Points HEAD at a branch, which need not exist. */
export async function setHead(repo: Repo, branch: string): Promise<void> {
  await run(repo, command`symbolic-ref HEAD ${`refs/heads/${branch}`}`)
}

/** Size on disk in bytes, of packed and loose objects together. */
export async function repositorySize(repo: Repo): Promise<number> {
  const report = (await run(repo, command`count-objects -v`)).toString('utf8')
  const kibibytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(report)?.[1] ?? 0)
  return (kibibytes('size') + kibibytes('size-pack')) * 1024
}
