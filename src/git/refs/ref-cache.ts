/** Cache of values that depend on refs, validated by the state of the files in which git stores refs, without running git. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { shared } from '../repository/object-cache.ts'
import { noteUnknown, type RefReads } from '../repository/ref-reads.ts'
import type { Repo } from '../repository/repository.ts'

export type RefKind = 'heads' | 'tags'

/**
 * A value that differs whenever the first existing one of these refs (full names) may have changed: the state of the files that git would
 * read, judged as git itself validates its cache of packed refs. Null if the state is unknown: for HEAD, which names another ref, and for
 * files changed just now. The files are examined synchronously: each takes 2 µs, a request to git 80.
 */
export function refState(repo: Repo, refs: string[]): string | null {
  const state = stateOfRefs(repo, refs)
  if (state === null) noteUnknown(repo)
  else repo.reads?.refs.push({ names: refs, state })
  return state
}

function stateOfRefs(repo: Repo, refs: string[]): string | null {
  if (refs.includes('HEAD')) return null
  let state = ''
  for (const ref of refs) {
    const found = stateOf(repo, ref)
    if (found === null) return null
    state += found
    // A loose ref takes precedence over its packed value, and over the refs that follow.
    if (found !== noFile && !found.startsWith(folder)) return state
  }
  const packed = stateOf(repo, 'packed-refs')
  return packed === null ? null : state + packed
}

const noFile = ';'
/** A folder of refs may have the name of a ref, and may be empty beside a packed ref of its name. */
const folder = '/'

/** Null for a file that was changed just now or can't be examined. */
function stateOf(repo: Repo, file: string): string | null {
  try {
    const found = statSync(`${repo.dir}/${file}`, { throwIfNoEntry: false })
    if (!found) return noFile
    const kind = found.isDirectory() ? folder : ''
    return repo.git.isFresh(found.mtimeMs) ? null : `${kind}${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs};`
  } catch (error) {
    // A file exists where its folder would be.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? noFile : null
  }
}

interface Watched {
  /** The observed state of each file and folder, keyed by path. */
  seen: Map<string, string>
  state: string
}

/**
 * As `refState`, for all branches or all tags: git creates, moves and removes a ref by renaming or removing a file, which changes the times
 * of its folder. Also null if the refs are in more folders than can be examined each time.
 */
async function kindState(repo: Repo, kind: RefKind): Promise<string | null> {
  const state = await stateOfKind(repo, kind)
  if (state === null) noteUnknown(repo)
  else repo.reads?.kinds.push({ kind, state })
  return state
}

const kindKey = ({ dir }: Repo, kind: RefKind) => `${dir} state of ${kind}`

async function stateOfKind(repo: Repo, kind: RefKind): Promise<string | null> {
  const key = kindKey(repo, kind)
  const known = repo.git.cache.get<Watched>(key)
  if (known && isUnchanged(repo, known)) return known.state
  const seen = await look(repo, kind)
  if (!seen) return null
  const state = createHash('sha256')
    .update([...seen].join('\n'))
    .digest('base64')
  repo.git.cache.set(
    key,
    { seen, state },
    [...seen.keys()].reduce((sum, file) => sum + 200 + 2 * file.length, 200),
  )
  return state
}

/** A created or removed subfolder changes the times of its parent, so nothing need be listed. */
function isUnchanged(repo: Repo, { seen }: Watched): boolean {
  for (const [file, state] of seen) if (stateOf(repo, file) !== state) return false
  return true
}

/** Whether none of the refs that were read may have moved since. */
export function areCurrent(repo: Repo, { isKnown, refs, kinds }: RefReads): boolean {
  const isSame = (kind: RefKind, state: string) => {
    const known = repo.git.cache.get<Watched>(kindKey(repo, kind))
    return known !== undefined && known.state === state && isUnchanged(repo, known)
  }
  return (
    isKnown && refs.every(({ names, state }) => stateOfRefs(repo, names) === state) && kinds.every(({ kind, state }) => isSame(kind, state))
  )
}

const maxFolders = 1_000

/** Each folder is examined before it is listed: a change in between is noticed the next time. */
async function look(repo: Repo, kind: RefKind): Promise<Map<string, string> | null> {
  const seen = new Map<string, string>()
  const note = (file: string) => {
    const state = stateOf(repo, file)
    if (state !== null) seen.set(file, state)
    return state !== null
  }
  if (!note('packed-refs')) return null
  const folders = [`refs/${kind}`]
  for (const folder of folders) {
    if (folders.length > maxFolders || !note(folder)) return null
    const entries = await readdir(`${repo.dir}/${folder}`, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (!entry.isDirectory()) continue
      // A name that is not valid UTF-8 can't be examined again.
      if (entry.name.includes('\ufffd')) return null
      folders.push(`${folder}/${entry.name}`)
    }
  }
  return seen
}

interface OfRefs<T> {
  /** Null if the state of the refs is unknown. */
  state: string | null
  value: T
}

const underWay = new Map<string, Promise<unknown>>()

/**
 * A value that depends on all refs of some kinds. It is read again only when one of them may have moved, and only once for all concurrent
 * callers. `read` is given the previous value, which may be outdated.
 */
export async function cachedByRefs<T>(
  repo: Repo,
  kinds: RefKind[],
  what: string,
  read: (before: T | undefined) => Promise<T>,
  bytesOf: (value: T) => number,
): Promise<T> {
  const key = `${repo.dir} ${what}`
  const states = await Promise.all(kinds.map((kind) => kindState(repo, kind)))
  const state = states.includes(null) ? null : states.join(' ')
  const known = repo.git.cache.get<OfRefs<T>>(key)
  if (known && state !== null && known.state === state) return known.value
  const reading = state === null ? read(known?.value) : once(`${key} ${state}`, () => read(known?.value))
  const value = await reading
  repo.git.cache.set<OfRefs<T>>(key, { state, value }, bytesOf(value))
  return value
}

function once<T>(key: string, work: () => Promise<T>): Promise<T> {
  const running = underWay.get(key) as Promise<T> | undefined
  if (running) return shared(running, () => once(key, work))
  const started = work().finally(() => underWay.delete(key))
  underWay.set(key, started)
  return started
}
