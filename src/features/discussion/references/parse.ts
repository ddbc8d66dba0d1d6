/** The references of a Markdown text, without rendering it: for what follows from them. */
import { type FoundReference, findMentions, findReferences, proseOf } from '../../instance/markdown/markdown.ts'
import { type CommitName, commitNames } from './commits.ts'

export interface MentionInText extends FoundReference {
  /** Whether it stands at the start of a paragraph, or after others that do. */
  isAddressed: boolean
}

/** Beyond it texts are not rendered either. */
const maxRead_chars = 64 * 1024

/**
 * People and what is discussed: all but those in code, comments and the words of links, in their order. Of a long text, those in its
 * first 64 Ki characters. `site` is the address of this server.
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

/** Of one text. Beyond, those after the first are not followed: a list of hundreds is a log, and no discussion of them. */
const maxCommits = 100

/** The commits that a text names, each once, as `referencesIn` reads it. */
export function commitNamesIn(text: string | null, site: string): CommitName[] {
  const read = text?.slice(0, maxRead_chars) ?? ''
  return /[0-9a-f]{7}/.test(read) ? commitNames(findReferences(proseOf(read), site), maxCommits) : []
}

/** White space that is looked at before a mention. */
const maxGap = 200

/** Whether nothing stands before it in its paragraph but those that end at `addressedUntil`. */
function beginsParagraph(text: string, start: number, addressedUntil: number): boolean {
  const before = text.slice(Math.max(0, start - maxGap), start)
  const gap = before.slice(before.trimEnd().length)
  return gap.length === before.length || /\n[ \t\r]*\n/.test(gap) || (addressedUntil > 0 && start - gap.length === addressedUntil)
}

/** The same for two references that mean the same thing. */
export function sameReference({ kind, path, isTitle, name }: FoundReference): string {
  return `${kind} ${path?.toLowerCase() ?? ''} ${isTitle} ${kind === 'user' ? name.toLowerCase() : name}`
}
