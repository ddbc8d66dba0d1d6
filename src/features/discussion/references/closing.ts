/** Closing words: the issues that a text says it closes, as in `Closes #4, #5 and group/other#6`. */
import { type FoundReference, findMentions } from '../../instance/markdown/markdown.ts'

const words = /\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +/g
const noun = /(?:issues? +)?/y
/** Every way but one to read spaces before `and` leads to nothing: two would make a row of them cost its square. */
const separator = / *(?:, +and +|(?<= )and +|, *)?/y

/** Beyond it a message is not read. */
const maxRead_chars = 64 * 1024

/** References to issues behind closing words, in the order they stand there. `site` is the address of this server. */
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

/** Where the text goes on behind what fits. */
function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  return at + (form.exec(text)?.[0].length ?? 0)
}
