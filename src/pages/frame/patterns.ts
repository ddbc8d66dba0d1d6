/** URL patterns of pages such as `/:project/tree/*`: matching, and the meaning of their parts. */
import { fileEndings } from '../../features/namespaces/namespaces.ts'

/** A path at the start of a URL belongs to one of these. */
export type SpaceKind = 'project' | 'group' | 'user'

export interface Pattern {
  /** As declared: `/:project/tree/*`. */
  text: string
  /** The kind that the path at its start leads to; null for pages of the instance itself. */
  space: SpaceKind | null
  /** Segments before the path of the space: `groups` in `/groups/:group/-/edit`. */
  before: readonly string[]
  /** A suffix of the path of the space in the URL, which no path itself can have: `.atom` in `/:project.atom`. */
  suffix: string
  /**
   * Segments after it. `:name` is one segment; `*`, at the end, one or more; `*.atom` is one or more, the last of which has that suffix.
   */
  after: readonly string[]
}

/** A URL that matches a pattern, provided that its beginning leads to a space. */
export interface Fit {
  /** The path of the space; null for pages of the instance itself. */
  path: string | null
  /** The segments of `:name`, and the rest as `*`. */
  params: Record<string, string>
}

const spaces = { ':project': 'project', ':group': 'group', ':user': 'user' } as const

/** Minimum and maximum number of segments of a path: projects are in a namespace, users are not. */
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
  // Otherwise somebody could take a name that reads like this URL.
  if (suffix !== '' && !fileEndings.some((ending) => suffix === `.${ending}`)) throw new Error(`${text} ends in what names may end in`)
  return { text, space, before: segments.slice(0, at), suffix, after: segments.slice(at + 1) }
}

/** A segment up to its first dot. */
function wordOf(segment: string): string {
  return segment.split('.', 1)[0] as string
}

/** The segments of a path as sent, decoded; null if it can't be the path of a page. */
export function segmentsIn(path: string): string[] | null {
  const sent = path.split('/').slice(1)
  // Browsers would read its beginning as a host name.
  if (path.startsWith('//')) return null
  // A single trailing slash is ignored.
  if (sent.length > 1 && sent.at(-1) === '') sent.pop()
  try {
    const segments = sent.map(decodeURIComponent)
    return segments.some((segment) => segment.includes('\0')) ? null : segments
  } catch {
    return null
  }
}

/** All possible matches of a URL: a space has a path of variable length, so there may be several. */
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

/** The parameters, in a list of one; empty if the segments don't match. */
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
