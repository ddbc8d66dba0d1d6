/** Cache of values that depend on refs, validated by the files in which git stores refs, without running git. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { shared } from '../repository/object-cache.ts'
import type { Repo } from '../repository/repository.ts'

export type RefKind = 'heads' | 'tags'

/**
 * Something that differs whenever the first of these refs that exists, by their full names, may be another or point to another object: the state of the files
 * git would look into, as git itself judges whether its packed refs are still good. Null where the state is unknown: of HEAD,
 * which names another ref, and of files changed just now.
 *
 * These are looked at in step and not in the background: each takes 2 µs, a question to git 80.
 */
export function refState(repo: Repo, refs: string[]): string | null {
  if (refs.includes('HEAD')) return null
  let state = ''
  for (const ref of refs) {
    const found = stateOf(repo, ref)
    if (found === null) return null
    state += found
    // A ref with a file of its own goes before its packed value, and before the other refs.
    if (found !== noFile && !found.startsWith(folder)) return state
  }
  const packed = stateOf(repo, 'packed-refs')
  return packed === null ? null : state + packed
}

const noFile = ';'
/** A folder of refs may stand where a ref is looked for; an empty one beside a packed ref of its name. */
const folder = '/'

/** Null of a file changed just now, or one that can't be looked at. */
function stateOf(repo: Repo, file: string): string | null {
  try {
    const found = statSync(`${repo.dir}/${file}`, { throwIfNoEntry: false })
    if (!found) return noFile
    const kind = found.isDirectory() ? folder : ''
    return repo.git.isFresh(found.mtimeMs) ? null : `${kind}${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs};`
  } catch (error) {
    // Something else stands where its folder would be.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? noFile : null
  }
}

interface Watched {
  /** Files and folders by their path, and the state in which they were seen. */
  seen: Map<string, string>
  state: string
}

/**
 * As `refState`, of all branches or all tags together: git makes, moves and removes a ref by renaming or removing a file,
 * and that changes the times of its folder. Null, too, for refs in more folders than can be looked at each time.
 */
async function kindState(repo: Repo, kind: RefKind): Promise<string | null> {
  const key = `${repo.dir} state of ${kind}`
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

/** A folder that came or went changed the folder it stands in, so nothing need be listed. */
function isUnchanged(repo: Repo, { seen }: Watched): boolean {
  for (const [file, state] of seen) if (stateOf(repo, file) !== state) return false
  return true
}

const maxFolders = 1_000

/** Each folder is looked at before it is listed: what changes between the two shows the next time. */
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
      // A name in another encoding than UTF-8 can't be looked at again.
      if (entry.name.includes('\ufffd')) return null
      folders.push(`${folder}/${entry.name}`)
    }
  }
  return seen
}

interface OfRefs<T> {
  /** Null when the state of the refs is unknown. */
  state: string | null
  value: T
}

const underWay = new Map<string, Promise<unknown>>()

/**
 * A value that depends on all refs of some kinds: read again only when one of them may have moved, and once for all concurrent callers
 * meanwhile. `read` is given what was read the last time, which may be outdated.
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
