/** The addresses of pages: which a pattern such as `/:project/tree/*` fits, and what its parts mean. */
import { fileEndings } from '../../features/namespaces/namespaces.ts'

/** What the path at the start of an address may lead to. */
export type SpaceKind = 'project' | 'group' | 'user'

export interface Pattern {
  /** As declared: `/:project/tree/*`. */
  text: string
  /** The kind of what the path at its start leads to; null for pages of the service itself. */
  space: SpaceKind | null
  /** Before the path of the space: `groups` in `/groups/:group/-/edit`. */
  before: readonly string[]
  /** What the path of the space ends in within the address, and no path of its own does: `.atom` in `/:project.atom`. */
  suffix: string
  /** After it. `:name` is one segment; `*`, at the end, one or more; `*.atom` is one or more, the last of which ends so. */
  after: readonly string[]
}

/** An address that fits a pattern, if its beginning leads to a space. */
export interface Fit {
  /** The path of the space; null for pages of the service itself. */
  path: string | null
  /** The segments of `:name`, and the rest as `*`. */
  params: Record<string, string>
}

const spaces = { ':project': 'project', ':group': 'group', ':user': 'user' } as const

/** Fewest and most segments of a path: projects stand in a namespace, users in none. */
const segmentsOf: Record<SpaceKind, { min: number; max: number }> = {
  project: { min: 2, max: 22 },
  group: { min: 1, max: 21 },
  user: { min: 1, max: 1 },
}

export function parsePattern(text: string): Pattern {
  const segments = text.split('/').slice(1)
  const at = segments.findIndex((segment) => wordOf(segment) in spaces)
  if (at < 0) return { text, space: null, before: [], suffix: '', after: segments }
  const [segment, word] = [segments[at] as string, wordOf(segments[at] as string)]
  const space = spaces[word as keyof typeof spaces]
  const suffix = segment.slice(word.length)
  // Else somebody could take a name that reads as this address.
  if (suffix !== '' && !fileEndings.some((ending) => suffix === `.${ending}`)) throw new Error(`${text} ends in what names may end in`)
  return { text, space, before: segments.slice(0, at), suffix, after: segments.slice(at + 1) }
}

/** A segment without what follows its first dot. */
function wordOf(segment: string): string {
  return segment.split('.', 1)[0] as string
}

/** The segments of a path as it was sent, decoded; null where it can't be one of a page. */
export function segmentsIn(path: string): string[] | null {
  const sent = path.split('/').slice(1)
  // Else it would begin with the name of a host, for browsers.
  if (path.startsWith('//')) return null
  // One slash at the end changes nothing.
  if (sent.length > 1 && sent.at(-1) === '') sent.pop()
  try {
    const segments = sent.map(decodeURIComponent)
    return segments.some((segment) => segment.includes('\0')) ? null : segments
  } catch {
    return null
  }
}

/** Every way in which an address fits: the path of a space has no fixed number of segments, so there may be several. */
export function fitsOf(pattern: Pattern, segments: readonly string[]): Fit[] {
  const { space, before, suffix, after } = pattern
  if (before.some((word, index) => segments[index] !== word)) return []
  const rest = segments.slice(before.length)
  if (space === null) return paramsOf(after, rest).map((params) => ({ path: null, params }))
  const { min, max } = segmentsOf[space]
  const most = Math.min(max, rest.length)
  const found: Fit[] = []
  for (let length = min; length <= most; length += 1) {
    const sent = rest.slice(0, length).join('/')
    if (!sent.endsWith(suffix)) continue
    const path = sent.slice(0, sent.length - suffix.length)
    for (const params of paramsOf(after, rest.slice(length))) found.push({ path, params })
  }
  return found
}

/** The parameters, in a list of one; empty where the segments don't fit. */
function paramsOf(wanted: readonly string[], segments: readonly string[]): Array<Record<string, string>> {
  const last = wanted.at(-1) ?? ''
  const open = last.startsWith('*')
  const fixed = open ? wanted.slice(0, -1) : wanted
  const suffix = last.slice(1)
  if (open && !segments.at(-1)?.endsWith(suffix)) return []
  if (open ? segments.length <= fixed.length : segments.length !== fixed.length) return []
  const params: Record<string, string> = {}
  for (const [index, word] of fixed.entries()) {
    const segment = segments[index] as string
    if (word.startsWith(':') && segment !== '') params[word.slice(1)] = segment
    else if (word !== segment) return []
  }
  if (open) {
    const sent = segments.slice(fixed.length).join('/')
    params['*'] = sent.slice(0, sent.length - suffix.length)
    if (suffix !== '' && params['*'] === '') return []
  }
  return [params]
}
