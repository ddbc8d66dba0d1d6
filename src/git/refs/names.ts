/** Valid names of refs and revisions: whatever users send is validated here. */
import { isWellFormed } from '../objects/paths.ts'

const longest = 1_024
/** A ref is a file, and while it is updated there is another one with `.lock` appended. */
const longestPart_bytes = 255 - '.lock'.length

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
  /** The suffixes: any number of `^`, `^2`, `~3`, `^{}` and `^{commit}`. */
  suffix: string
}

/** The parts of a revision; null if it is none. Everything else git knows (`@{1}`, `:path`, `^{/text}`, ranges) is none here. */
export function parseRevision(text: string): Revision | null {
  if (text.length > longest) return null
  const suffix = /(?:\^\{(?:commit)?\}|\^\d{0,2}|~\d{0,4})+$/.exec(text)?.[0] ?? ''
  const name = text.slice(0, text.length - suffix.length)
  return isRefName(name) ? { name, suffix } : null
}

/**
 * The revision that means this branch and nothing else, now and whatever refs there will be. Branches go before tags, so that only
 * what begins as an id or as a full name does needs its own full name.
 */
export function branchRevision(name: string): string {
  return /^(?:refs|heads|tags|HEAD|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})(?:\/|$)/.test(name) ? `refs/heads/${name}` : name
}

/** The revision that means this tag and nothing else: a branch of its name would go before it. */
export function tagRevision(name: string): string {
  return `refs/tags/${name}`
}

/** A revision as it is shown and as it is part of a file's name: without what only keeps branches and tags apart. */
export function shortRevision(revision: string): string {
  return revision.replace(/^refs\/(?:heads|tags)\//, '')
}

/** Whether git takes the name for an object id: such a branch could hardly be addressed. */
function isLikeObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)
}

/** Whether a new branch may have the name: nothing that git or a reader would take for something else. */
export function isBranchName(name: string): boolean {
  return isRefName(name) && name !== 'HEAD' && !name.startsWith('refs/') && !isMisleading(name) && !isLikeObjectId(name)
}

/** Whether a new tag may have the name: the same rules as for branches. */
export function isTagName(name: string): boolean {
  return isBranchName(name)
}

/** Stands where bytes were no UTF-8. A name with it is ambiguous, and can't be requested. */
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
 * the file system ignores case, `refs/Replace` is one of them, in a clone too.
 */
const local = /^refs\/(?:replace|bisect|worktree|rewritten)(?:\/|$)/i
/** There, these would be branches and tags, past the rules for them. */
const disguised = /^refs\/(?:heads|tags)(?:\/|$)/i

/**
 * Why no ref may be created or updated under this full name, in a sentence for users; null if it may. The one rule for branches
 * and tags, by the API, by git and by imports. Other refs (`refs/notes/…`, `refs/remotes/…`) are accepted if git itself accepts
 * their names: mirrors have them.
 */
export function refError(ref: string): string | null {
  const [, kind, name = ''] = /^refs\/(?:(heads|tags)\/)?(.*)$/s.exec(ref) ?? []
  if (kind === undefined) {
    if (local.test(ref)) return `Refs below ${ref.split('/', 2).join('/')}/ are not taken.`
    const isRight = isRefName(name) && name !== 'HEAD' && !isMisleading(name) && !disguised.test(ref)
    return isRight ? null : `The name of the ref ${ref} is invalid.`
  }
  if (isLikeObjectId(name)) return `The ${kindNames[kind]} ${name} would be taken for an object id.`
  return isBranchName(name) ? null : `The name of the ${kindNames[kind]} ${name} is invalid.`
}

const kindNames: Record<string, string> = { heads: 'branch', tags: 'tag' }
