/** Finds the references of a Markdown text without rendering it. */
import { type FoundReference, findMentions, findReferences, proseOf } from '../../instance/markdown/markdown.ts'
import { type CommitName, commitNames } from './commits.ts'

export interface MentionInText extends FoundReference {
  /** Whether it is at the beginning of a paragraph, or only preceded by such references. */
  isAddressed: boolean
}

/** Longer texts are not rendered either. */
const maxRead_chars = 64 * 1024

/**
 * References to people and noteables in order, except those in code, comments and link texts. In a long text, those in its first 64 Ki
 * characters. `site` is the URL of this server.
 */
export function* referencesIn(text: string | null, site: string): Generator<MentionInText> {
  if (!text) return
  const prose = proseOf(text.slice(0, maxRead_chars))
  let addressedUntil = 0
  for (const reference of findMentions(prose, site)) {
    const { start, end } = reference
    const isAddressed = reference.kind === 'user' && beginsParagraph(text, start, addressedUntil)
    if (isAddressed) addressedUntil = end
    yield { ...reference, isAddressed }
  }
}

/** Per text. Further ones are ignored: a list of hundreds is a log, not a discussion of them. */
const maxCommits = 100

/** The distinct commits that a text names, as `referencesIn` finds them. */
export function commitNamesIn(text: string | null, site: string): CommitName[] {
  const read = text?.slice(0, maxRead_chars) ?? ''
  return /[0-9a-f]{7}/.test(read) ? commitNames(findReferences(proseOf(read), site), maxCommits) : []
}

/** White space that is examined before a mention. */
const maxGap = 200

/** Whether only mentions that end at `addressedUntil` precede it in its paragraph. */
function beginsParagraph(text: string, start: number, addressedUntil: number): boolean {
  const before = text.slice(Math.max(0, start - maxGap), start)
  const gap = before.slice(before.trimEnd().length)
  return gap.length === before.length || /\n[ \t\r]*\n/.test(gap) || (addressedUntil > 0 && start - gap.length === addressedUntil)
}

/** A key that is equal for two references to the same thing. */
export function sameReference({ kind, path, isTitle, name }: FoundReference): string {
  return `${kind} ${path?.toLowerCase() ?? ''} ${isTitle} ${kind === 'user' ? name.toLowerCase() : name}`
}
