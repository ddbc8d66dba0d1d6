/** What may be called a ref, a revision or a path: the only judge of names that users send. */

const longest = 1_024
/** A ref is a file, and while it is moved another one with `.lock` behind its name. */
const longestPart_bytes = 255 - '.lock'.length
const longestPath = 4_096
/** No file system has longer names. */
const longestFile_bytes = 255

/** The rules of git-check-ref-format, for a branch or tag name without its `refs/…/`; and nothing too long or not in UTF-8. */
export function isRefName(name: string): boolean {
  if (name === '' || name.length > longest || name === '@' || !isWellFormed(name)) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are just what git refuses
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^\/|^-/.test(name)) return false
  return name.split('/').every((part) => !/^\.|\.lock$/.test(part) && Buffer.byteLength(part) <= longestPart_bytes)
}

export interface Revision {
  /** A ref name or an object id. */
  name: string
  /** What follows it: any number of `^`, `^2`, `~3`, `^{}` and `^{commit}`. */
  suffix: string
}

/** The parts of a revision; null if it is none. Everything else git knows (`@{1}`, `:path`, `^{/text}`, ranges) is none here. */
export function parseRevision(text: string): Revision | null {
  if (text.length > longest) return null
  const suffix = /(?:\^\{(?:commit)?\}|\^\d{0,2}|~\d{0,4})+$/.exec(text)?.[0] ?? ''
  const name = text.slice(0, text.length - suffix.length)
  return isRefName(name) ? { name, suffix } : null
}

/** Whether git takes the name for an object id, so that a branch called so could hardly be reached. */
function isLikeObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)
}

/** Whether a new branch may be called so: nothing that git, its commands or a reader would take for something else. */
export function isBranchName(name: string): boolean {
  return isRefName(name) && name !== 'HEAD' && !name.startsWith('refs/') && !isMisleading(name) && !isLikeObjectId(name)
}

/** Whether a new tag may be called so: a name no branch may have is no better for a tag. */
export function isTagName(name: string): boolean {
  return isBranchName(name)
}

/** Stands where bytes were no UTF-8. A name that holds it can't be told from another, and not be asked for. */
const replacement = '\ufffd'

/** Characters that nobody sees: controls, those that turn the direction of text, spaces without width. */
const unseen = /(?!\p{Variation_Selector}|\u200c|\u200d)(?:\p{Cc}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point})/u
/** Joiners and variants belong to some scripts and to emoji; beside ASCII they only make a name look like another one. */
const strayJoiner = /(?:^|[\0-\x7f]|\u200c|\u200d)(?:\u200c|\u200d|\p{Variation_Selector})|(?:\u200c|\u200d)(?:$|[\0-\x7f])/u

/** Whether a reader would take it for another name. */
function isMisleading(name: string): boolean {
  return name.includes(replacement) || unseen.test(name) || strayJoiner.test(name)
}

/**
 * Refs by which git changes what objects mean, or notes what one working tree is about: no repository of a server has them. Where
 * the file system doesn't tell case, `refs/Replace` is one of them, in a clone too.
 */
const local = /^refs\/(?:replace|bisect|worktree|rewritten)(?:\/|$)/i
/** There, these would be branches and tags, past the rules for them. */
const disguised = /^refs\/(?:heads|tags)(?:\/|$)/i

/**
 * Why no ref may be made or moved under this full name, in a sentence for users; null if one may. It is the one rule for
 * branches and tags by the API, by git and by imports. Refs that are neither (`refs/notes/…`, `refs/remotes/…`) are taken as
 * long as git itself can name them: a mirror holds them.
 */
export function refError(ref: string): string | null {
  const [, kind, name = ''] = /^refs\/(?:(heads|tags)\/)?(.*)$/s.exec(ref) ?? []
  if (kind === undefined) {
    if (local.test(ref)) return `Refs below ${ref.split('/', 2).join('/')}/ are not taken.`
    const isRight = isRefName(name) && name !== 'HEAD' && !isMisleading(name) && !disguised.test(ref)
    return isRight ? null : `The name of the ref ${ref} is invalid.`
  }
  if (isLikeObjectId(name)) return `The ${nouns[kind]} ${name} would be taken for an object id.`
  return isBranchName(name) ? null : `The name of the ${nouns[kind]} ${name} is invalid.`
}

const nouns: Record<string, string> = { heads: 'branch', tags: 'tag' }

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** The parts of a path inside a tree, or null when git could have no such path. `''` and `/` are the root. */
export function pathParts(path: string): string[] | null {
  if (path.length > longestPath || path.includes('\0')) return null
  const all = path.split('/')
  const parts = all.slice(all.findIndex(isNotEmpty), all.findLastIndex(isNotEmpty) + 1)
  return parts.some((part) => part === '' || part === '.' || part === '..') ? null : parts
}

function isNotEmpty(text: string): boolean {
  return text !== ''
}

/** What some file system takes for `.git`: in any case, as NTFS shortens or decorates it, with what HFS+ ignores. */
const dotGit = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a file may be written at this path: what no checkout of it can turn against its owner. No empty part, `.` or
 * `..`, nothing that is `.git` anywhere, no control characters, no backslash (a slash elsewhere) before such a part, and
 * nothing too long to be a file.
 */
export function isWritablePath(path: string): boolean {
  const parts = pathParts(path)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (!parts || parts.length === 0 || /[\x00-\x1f\x7f]/.test(path) || !isWellFormed(path)) return false
  if (Buffer.byteLength(path) >= longestPath || parts.some((part) => Buffer.byteLength(part) > longestFile_bytes)) return false
  const seenElsewhere = parts.flatMap((part) => part.replace(ignoredByHfs, '').split('\\'))
  return !seenElsewhere.some((part) => dotGit.test(part) || part === '..')
}

/** Whether it means the same once it is written as UTF-8: half of a surrogate pair becomes another character. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
