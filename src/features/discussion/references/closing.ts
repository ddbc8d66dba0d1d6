/** Closing patterns: the issues that a text says it closes, as in `Closes #4, #5 and group/other#6`. */
import { type FoundReference, findMentions } from '../../instance/markdown/markdown.ts'

const words = /\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +/g
const noun = /(?:issues? +)?/y
/** There must be only one way to match spaces before `and`: with two, a long run of spaces would take quadratic time. */
const separator = / *(?:, +and +|(?<= )and +|, *)?/y

/** Longer messages are not parsed. */
const maxRead_chars = 64 * 1024

/** References to issues after closing words, in order. `site` is the URL of this server. */
export function closingReferences(message: string, site: string): FoundReference[] {
  const text = message.slice(0, maxRead_chars)
  const issues = new Map<number, FoundReference>()
  for (const reference of findMentions(text, site)) if (reference.kind === 'issue') issues.set(reference.start, reference)
  if (issues.size === 0) return []
  const closing: FoundReference[] = []
  for (const { 0: word, index } of text.matchAll(words)) {
    let at = skip(noun, text, index + word.length)
    for (let reference = issues.get(at); reference; reference = issues.get(at)) {
      closing.push(reference)
      at = skip(noun, text, skip(separator, text, reference.end))
    }
  }
  return closing
}

/** The position after a match. */
function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  return at + (form.exec(text)?.[0].length ?? 0)
}
