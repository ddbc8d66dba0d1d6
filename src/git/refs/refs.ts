/** Branches and tags: one, all, a page of them, and those that contain a commit. */
import { createHash } from 'node:crypto'
import { Failure } from '../../failure.ts'
import { readCommit } from '../objects/read.ts'
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { type Repo, run, runCostly } from '../repository/repository.ts'
import { isRefName } from './names.ts'
import { cachedByRefs, type RefKind, refState } from './ref-cache.ts'
import { resolveCommit } from './resolve.ts'

export interface Ref {
  /** Without `refs/heads/` or `refs/tags/`. */
  name: string
  /** The object the ref points to: a commit, or for an annotated tag the tag object. */
  oid: string
  /** The commit it leads to; null for a tag of something else. */
  commit: string | null
  /** When that commit was committed, in seconds since the epoch. */
  committed_at: number
}

export interface RefOrder {
  /** `updated`: by the commit time. `version`: by name, with numbers compared as numbers. */
  order_by: 'updated' | 'name' | 'version'
  sort: 'asc' | 'desc'
  /** Part of the name, ignoring case; `^` or `$` anchors it to the beginning or end. */
  search?: string | undefined
  /** A further filter, called once with all names of a list, since it may take some time. */
  filter?: ((names: string[]) => Promise<boolean[]>) | undefined
  /** Only commits no older than `since`, or older than `before`; in seconds since the epoch. */
  committed?: { since: number } | { before: number } | undefined
}

export interface RefStart {
  limit: number
  offset: number
  /** Used instead of the offset: the page begins after this name. */
  after?: string | undefined
}

export interface RefPage {
  rows: Ref[]
  total: number
  /** Whether there are more after this page. */
  more: boolean
}

/**
 * One page of the branches or tags, and the number of all. One process if any may have moved, otherwise none. Throws 400 for an unknown
 * `after`.
 */
export async function pageOfRefs(
  repo: Repo,
  kind: RefKind,
  { order_by, sort, search = '', filter, committed }: RefOrder,
  { limit, offset, after }: RefStart,
): Promise<RefPage> {
  const list = await refList(repo, kind)
  const ordered = order_by === 'updated' ? list.byDate : order_by === 'version' ? byVersion(list) : list.byName
  const all = committed ? ordered.filter(agedAs(committed)) : ordered
  const matches = matcherOf(search)
  const searched = search === '' ? all : all.filter((packed) => matches(nameOf(packed)))
  const found = filter ? await keep(searched, filter) : searched
  const total = found.length
  const start = after === undefined ? offset : positionAfter(found, after, { order_by, sort })
  const page =
    sort === 'asc'
      ? found.slice(start, start + limit)
      : found.slice(Math.max(0, total - start - limit), Math.max(0, total - start)).reverse()
  return { rows: page.map(unpack), total, more: start + limit < total }
}

function agedAs(committed: NonNullable<RefOrder['committed']>): (packed: string) => boolean {
  const dateOf = (packed: string) => Number(packed.slice(packed.lastIndexOf('\0') + 1))
  if ('since' in committed) return (packed) => dateOf(packed) >= committed.since
  return (packed) => dateOf(packed) < committed.before
}

async function keep(packed: string[], filter: NonNullable<RefOrder['filter']>): Promise<string[]> {
  const kept = await filter(packed.map(nameOf))
  return packed.filter((_, index) => kept[index])
}

/** Number of refs before the page. With order by name this also works for the name of a ref that was deleted meanwhile. */
function positionAfter(found: string[], after: string, { order_by, sort }: Pick<RefOrder, 'order_by' | 'sort'>): number {
  const at = found.findIndex((packed) => nameOf(packed) === after)
  if (at >= 0) return sort === 'asc' ? at + 1 : found.length - at
  if (order_by !== 'name') throw new Failure('invalid', '400 The page_token is no longer valid')
  const bytes = Buffer.from(after)
  const later = found.findIndex((packed) => Buffer.compare(Buffer.from(nameOf(packed)), bytes) > 0)
  const before = later < 0 ? found.length : later
  return sort === 'asc' ? before : found.length - before
}

const versions = new WeakMap<RefList, string[]>()
const collator = new Intl.Collator('en', { numeric: true })

/** Sorted once per list. */
function byVersion(list: RefList): string[] {
  const known = versions.get(list)
  if (known) return known
  const named = list.byName.map((packed) => ({ packed, name: nameOf(packed) }))
  const sorted = named.sort((one, other) => collator.compare(one.name, other.name)).map(({ packed }) => packed)
  versions.set(list, sorted)
  return sorted
}

/** Returns a function that tells whether a name matches `search`. */
function matcherOf(search: string): (name: string) => boolean {
  const atStart = search.startsWith('^')
  const atEnd = search.endsWith('$')
  const term = search.slice(atStart ? 1 : 0, atEnd ? -1 : undefined).toLowerCase()
  return (name) => {
    const text = name.toLowerCase()
    if (atStart && atEnd) return text === term
    if (atStart) return text.startsWith(term)
    return atEnd ? text.endsWith(term) : text.includes(term)
  }
}

/** All branches or tags, by name; as costly as `pageOfRefs`. */
export async function listRefs(repo: Repo, kind: RefKind): Promise<Ref[]> {
  return (await refList(repo, kind)).byName.map(unpack)
}

/** Every ref by its full name, with the object it points to. One process. */
export async function allRefs(repo: Repo): Promise<Map<string, string>> {
  const output = await run(repo, ['for-each-ref', '--format=%(objectname) %(refname)'])
  return new Map(
    lines(output).map((line) => {
      const space = line.indexOf(' ')
      return [line.slice(space + 1), line.slice(0, space)]
    }),
  )
}

/** One branch or tag; null if there is none of that name. */
export async function findRef(repo: Repo, kind: RefKind, name: string): Promise<Ref | null> {
  if (!isRefName(name)) return null
  const refname = `refs/${kind}/${name}`
  const state = refState(repo, [refname])
  const key = `${repo.dir} ${refname}`
  const known = repo.git.cache.get<{ state: string; ref: Ref }>(key)
  if (known && known.state === state) return known.ref
  const output = await run(repo, command`for-each-ref --format=${format} ${refname}`)
  const found = lines(output)
    .map((line) => parseRef(line, kind))
    .find((ref) => ref.name === name)
  if (!found) return null
  const ref = await peeled(repo, found)
  if (state !== null) repo.git.cache.set(key, { state, ref }, 600)
  return ref
}

/** Names of the branches whose tip is an ancestor of `commit`. One process if a branch may have moved. */
export function mergedBranches(repo: Repo, commit: string): Promise<Set<string>> {
  const read = async () => {
    const output = await runCostly(repo, ['for-each-ref', '--format=%(refname)', `--merged=${commit}`, 'refs/heads'])
    return new Set(lines(output).map((line) => line.slice('refs/heads/'.length)))
  }
  return cachedByRefs(repo, ['heads'], `merged into ${commit}`, read, (names) => bytesOf([...names]))
}

const containing_deadline_ms = 30_000

/** Full names of the branches, tags or both that contain `commit`. One process if a ref may have moved. */
export function refsContaining(repo: Repo, commit: string, kinds: RefKind[]): Promise<string[]> {
  const read = async () => {
    const args = ['for-each-ref', '--format=%(refname)', `--contains=${commit}`, ...kinds.map((kind) => `refs/${kind}`)]
    return lines(await runCostly(repo, args, { deadline_ms: containing_deadline_ms }))
  }
  return cachedByRefs(repo, kinds, `${kinds.join('+')} containing ${commit}`, read, bytesOf)
}

/** Size on disk in bytes, of packed and loose objects. */
export async function repositorySize(repo: Repo): Promise<number> {
  const report = (await run(repo, command`count-objects -v`)).toString('utf8')
  const kibibytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(report)?.[1] ?? 0)
  return (kibibytes('size') + kibibytes('size-pack')) * 1024
}

/** All branches or all tags in both orders, packed into one text each: twenty thousand take 3 MB. */
interface RefList {
  byName: string[]
  byDate: string[]
  /** The digest of git's short listing; null after a full listing. */
  digest: string | null
}

function refList(repo: Repo, kind: RefKind): Promise<RefList> {
  const read = (before: RefList | undefined) => (before ? listAgain(repo, kind, before) : listAnew(repo, kind))
  return cachedByRefs(repo, [kind], `list of ${kind}`, read, ({ byName }) => bytesOf(byName) + 8 * byName.length)
}

function listOf(refs: Ref[], digest: string | null): RefList {
  const packed = new Map(refs.map((ref) => [ref, pack(ref)]))
  const dated = [...refs].sort((a, b) => a.committed_at - b.committed_at)
  return { byName: [...packed.values()], byDate: dated.map((ref) => packed.get(ref) as string), digest }
}

const format =
  '%(refname)%00%(objectname)%00%(objecttype)%00%(committerdate:unix)%00%(*objectname)%00%(*objecttype)%00%(*committerdate:unix)'

/** Full listing. Git reads the object of every ref: 10 ms for a thousand. */
async function listAnew(repo: Repo, kind: RefKind): Promise<RefList> {
  const output = await run(repo, command`for-each-ref --format=${format} ${`refs/${kind}`}`)
  return listOf(await Promise.all(lines(output).map((line) => peeled(repo, parseRef(line, kind)))), null)
}

const maxUnknown = 1_000

/** Lists the refs again. Those that still point to the same object are known; git reads only the others. */
async function listAgain(repo: Repo, kind: RefKind, before: RefList): Promise<RefList> {
  const output = await run(repo, command`for-each-ref --format=${'%(refname)%00%(objectname)'} ${`refs/${kind}`}`)
  const digest = createHash('sha256').update(output).digest('base64')
  if (digest === before.digest) return before
  const known = new Map(before.byName.map(unpack).map((ref) => [ref.oid, ref]))
  const refs = lines(output).map((line) => parseRef(line, kind))
  if (refs.filter(({ oid }) => !known.has(oid)).length > maxUnknown) return listAnew(repo, kind)
  const complete = refs.map(({ name, oid }) => {
    const same = known.get(oid)
    return same ? { ...same, name } : peeled(repo, { name, oid, commit: null, committed_at: 0 })
  })
  return listOf(await Promise.all(complete), digest)
}

/** `for-each-ref` peels only one level of tags; a tag of a tag is followed here. */
async function peeled(repo: Repo, ref: Ref): Promise<Ref> {
  const commit = ref.commit === null ? await resolveCommit(repo, ref.oid) : null
  if (!commit) return ref
  const { committer } = await readCommit(repo, commit)
  return { ...ref, commit, committed_at: Date.parse(committer.date) / 1000 }
}

function parseRef(line: string, kind: RefKind): Ref {
  const [refname = '', oid = '', type, date, targetOid, targetType, targetDate] = line.split('\0')
  const direct = type === 'commit'
  const commit = direct ? oid : targetType === 'commit' ? (targetOid ?? null) : null
  return { name: refname.slice(`refs/${kind}/`.length), oid, commit, committed_at: Number((direct ? date : targetDate) || 0) }
}

/** `join` creates a new string, which doesn't keep the whole output of git in memory. */
function pack({ name, oid, commit, committed_at }: Ref): string {
  return [name, oid, commit === oid ? '=' : (commit ?? ''), committed_at].join('\0')
}

function unpack(packed: string): Ref {
  const [name = '', oid = '', commit, date] = packed.split('\0')
  return { name, oid, commit: commit === '=' ? oid : commit || null, committed_at: Number(date) }
}

function nameOf(packed: string): string {
  return packed.slice(0, packed.indexOf('\0'))
}

/** Estimated memory of texts and their positions in a list. */
function bytesOf(texts: string[]): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that take one byte
  return texts.reduce((sum, text) => sum + 40 + (/^[\x00-\xff]*$/.test(text) ? text.length : 2 * text.length), 100)
}
