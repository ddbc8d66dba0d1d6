/** Validates names of refs and revisions, as sent by users. */
import { isWellFormed } from '../objects/paths.ts'

const longest = 1_024
/** A ref is a file; while it is updated, there is a second one with `.lock` appended. */
const longestPart_bytes = 255 - '.lock'.length

/** Whether a branch or tag name (without `refs/…/`) follows the rules of git-check-ref-format, is valid UTF-8 and not too long. */
export function isRefName(name: string): boolean {
  if (name === '' || name.length > longest || name === '@' || !isWellFormed(name)) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git rejects exactly these
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^\/|^-/.test(name)) return false
  return name.split('/').every((part) => !/^\.|\.lock$/.test(part) && Buffer.byteLength(part) <= longestPart_bytes)
}

export interface Revision {
  /** A ref name or an object id. */
  name: string
  /** Any number of the suffixes `^`, `^2`, `~3`, `^{}` and `^{commit}`. */
  suffix: string
}

/**
 * The parts of a revision; null if it isn't one. Everything else that git understands (`@{1}`, `:path`, `^{/text}`, ranges) is rejected.
 */
export function parseRevision(text: string): Revision | null {
  if (text.length > longest) return null
  // Neither sign can be in a name.
  const end = text.search(/[~^]/)
  const [name, suffix] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)]
  return isRefName(name) && /^(?:\^\{(?:commit)?\}|\^\d{0,2}|~\d{0,4})*$/.test(suffix) ? { name, suffix } : null
}

/**
 * The revision that names this branch and nothing else, now and whatever refs are created. Branches take precedence over tags, so the full
 * name is only needed if the short one begins like an id or a full name.
 */
export function branchRevision(name: string): string {
  return /^(?:refs|heads|tags|HEAD|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})(?:\/|$)/.test(name) ? `refs/heads/${name}` : name
}

/** The revision that names this tag and nothing else; a short name could be that of a branch. */
export function tagRevision(name: string): string {
  return `refs/tags/${name}`
}

/** The revision as shown to users and used in file names: without the prefix that only distinguishes branches from tags. */
export function shortRevision(revision: string): string {
  return revision.replace(/^refs\/(?:heads|tags)\//, '')
}

/** Whether git would take the name for an object id: such a branch could hardly be addressed. */
function isLikeObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)
}

/** Whether a new branch may have the name: nothing that git or a reader would mistake for something else. */
export function isBranchName(name: string): boolean {
  return isRefName(name) && name !== 'HEAD' && !name.startsWith('refs/') && !isMisleading(name) && !isLikeObjectId(name)
}

/** Whether a new tag may have the name: the same rules as for branches. */
export function isTagName(name: string): boolean {
  return isBranchName(name)
}

/** Replaces bytes that are not valid UTF-8. A name with it is ambiguous and can't be requested. */
const replacement = '\ufffd'

/** Invisible characters: controls, marks that change the text direction, spaces of no width. */
const unseen = /(?!\p{Variation_Selector}|\u200c|\u200d)(?:\p{Cc}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point})/u
/** Joiners and variation selectors belong to some scripts and to emoji; next to ASCII they only make a name look like another one. */
const strayJoiner = /(?:^|[\0-\x7f]|\u200c|\u200d)(?:\u200c|\u200d|\p{Variation_Selector})|(?:\u200c|\u200d)(?:$|[\0-\x7f])/u

/** Whether a reader could mistake the name for another one. */
function isMisleading(name: string): boolean {
  return name.includes(replacement) || unseen.test(name) || strayJoiner.test(name)
}

/**
 * Refs that change what objects mean (`replace`), or belong to one working tree: no repository on a server has them. Case-insensitive,
 * since a clone may be on a file system that ignores case.
 */
const local = /^refs\/(?:replace|bisect|worktree|rewritten)(?:\/|$)/i
/** On such a file system these would be branches and tags that bypass the rules for them. */
const disguised = /^refs\/(?:heads|tags)(?:\/|$)/i

/**
 * Why no ref may be created or updated under this full name, as a sentence for users; null if it may. This one rule serves the API, git and
 * imports. Other refs (`refs/notes/…`, `refs/remotes/…`), which mirrors have, are accepted if git accepts their names.
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
