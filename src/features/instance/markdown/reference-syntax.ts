/** References in texts: how users, issues, labels, commits and so on are named, found in one pass over the text. */
import { withoutTrailing } from '../../../text/trailing.ts'

export type ReferenceKind = 'user' | 'issue' | 'merge_request' | 'snippet' | 'label' | 'milestone' | 'commit' | 'commit_range'

export interface Reference {
  kind: ReferenceKind
  /** Path of its project as written, or only its last part; null for the project of the text. */
  path: string | null
  /** A number, a title, a commit id, or the path of a user or group. */
  name: string
  /** Whether a label or milestone is named by its title. */
  isTitle: boolean
  /** Whether it is a URL of this server. */
  isLink: boolean
  /** The part after a number in such a URL: `#note_5`. */
  anchor: string
}

export interface FoundReference extends Reference {
  start: number
  end: number
}

const segment = '[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?'
const path = `${segment}(?:/${segment})*`
const oid = '[0-9a-f]{7,40}'
const range = `${oid}\\.{2,3}${oid}`
const number = '[1-9]\\d{0,9}(?!\\w)'
// A number followed by word characters is a title: `%2.1`, `~2fa`.
const titleNumber = '[1-9]\\d{0,9}(?![^\\s\\d]?\\w)'

/** A path begins only where no path character precedes it, so that each is examined once, however long it is. */
const within = `(?:(?<![\\w./@-])(?<path>${path}))?`
/** Text inside of a URL is not a reference. */
const url = '(?<url>https?://[^\\s<>"\'`]+)'
const user = `(?<![\\p{L}\\p{N}_@/.+-])@(?<user>${path})`
const discussed = [`#(?<issue>${number})`, `!(?<merge_request>${number})`]
const others = [
  `\\$(?<snippet>${number})`,
  `~(?:(?<label>${titleNumber})|"(?<label_quoted>[^"\\n]{1,255})"|(?<label_title>[\\p{L}\\p{N}_.?&:-]{0,254}[\\p{L}\\p{N}_&-]))`,
  `%(?:(?<milestone>${titleNumber})|"(?<milestone_quoted>[^"\\n]{1,255})"|(?<milestone_title>[^\\s"%<>]{0,254}[\\p{L}\\p{N}_]))`,
]
const commits = [
  `(?<![\\w./@-])(?<commit_path>${path})@(?<commit_there>${range}|${oid}(?![\\w-]))`,
  `(?<![\\w./#@~%!$-])(?<commit>${range}|${oid})(?![\\w-])`,
]
const everything = new RegExp([url, user, `${within}(?:${[...discussed, ...others].join('|')})`, ...commits].join('|'), 'gu')
const mentions = new RegExp([url, user, `${within}(?:${discussed.join('|')})`].join('|'), 'gu')

/** The references in a text, in order. `site` is the URL of this server, without a trailing slash. */
export function* findReferences(text: string, site: string): Generator<FoundReference> {
  // A quick test whether there can be any: most texts have none.
  if (/[@#!$~%]|[0-9a-f]{7}|:\/\//.test(text)) yield* matching(everything, text, site)
}

/** References with consequences, to noteables and people; includes all URLs. */
export function* findMentions(text: string, site: string): Generator<FoundReference> {
  if (/[@#!]|:\/\//.test(text)) yield* matching(mentions, text, site)
}

function* matching(pattern: RegExp, text: string, site: string): Generator<FoundReference> {
  for (const match of text.matchAll(pattern)) {
    const { groups = {} } = match
    const found = groups.url === undefined ? readReference(groups) : readLink(groups.url, site)
    if (!found) continue
    const { length = match[0].length, ...reference } = found
    yield { ...reference, start: match.index, end: match.index + length }
  }
}

type Groups = Record<string, string | undefined>
type Read = Reference & { length?: number }

const numbered = ['issue', 'merge_request', 'snippet'] as const
const titled = ['label', 'milestone'] as const
const plain = { isTitle: false, isLink: false, anchor: '' }

function readReference(groups: Groups): Read | null {
  const path = groups.path ?? null
  if (groups.user !== undefined) return { ...plain, kind: 'user', path: null, name: groups.user }
  for (const kind of numbered) {
    const name = groups[kind]
    if (name !== undefined) return { ...plain, kind, path, name }
  }
  for (const kind of titled) {
    const id = groups[kind]
    if (id !== undefined) return { ...plain, kind, path, name: id }
    const title = groups[`${kind}_quoted`] ?? groups[`${kind}_title`]
    if (title !== undefined) return { ...plain, kind, path, name: title, isTitle: true }
  }
  const commit = groups.commit ?? groups.commit_there
  return commit === undefined ? null : { ...plain, kind: commitKind(commit), path: groups.commit_path ?? null, name: commit }
}

function commitKind(name: string): 'commit' | 'commit_range' {
  return name.includes('..') ? 'commit_range' : 'commit'
}

const kindsInAddresses: Record<string, ReferenceKind> = {
  issues: 'issue',
  merge_requests: 'merge_request',
  snippets: 'snippet',
  milestones: 'milestone',
  commit: 'commit',
  compare: 'commit_range',
}

const address = new RegExp(
  `^(?<path>${path})/(?:-/)?(?:(?<type>issues|merge_requests|snippets|milestones)/(?<number>${number})|(?<git>commit|compare)/(?<oid>${range}|${oid}(?![\\w-])))(?<rest>[/?#][\\w/?&=#-]*)?$`,
)

/** Longer than the URL of anything. Where the path ends is tried at each of its parts. */
const maxLink_chars = 4_000

/** The reference in a URL of this server; null for any other. */
export function readLink(url: string, site: string): Read | null {
  if (!url.startsWith(`${site}/`) || url.length > maxLink_chars) return null
  // Punctuation at the end of a sentence is not part of it.
  const written = withoutTrailing(url, `.,:;!?)]}*'"`)
  const groups: Groups | undefined = address.exec(written.slice(site.length + 1))?.groups
  const kind = kindsInAddresses[groups?.type ?? groups?.git ?? '']
  const name = groups?.number ?? groups?.oid
  if (!kind || name === undefined) return null
  const anchor = /#note_\d{1,15}$/.exec(groups?.rest ?? '')?.[0] ?? ''
  return { kind, path: groups?.path ?? null, name, isTitle: false, isLink: true, anchor, length: written.length }
}
