/** Regular expressions of users: in RE2 syntax, so that they match in linear time, and limited in size. */
import { RE2JS } from 're2js'

const maxPattern_chars = 1_000
/**
 * Limit of the compiled size. Each instruction takes about 800 bytes, and may be tested for each character: `(a?){1000}`, ten characters,
 * has 4,000.
 */
export const maxInstructions = 2_000

/** Escapes of Ruby's expressions, for which CI files were originally written, that RE2 lacks. */
const translations = new Map([
  ['/', '/'],
  ['Z', '(?:\\n?\\z)'],
])

const literal = /^\/(.+)\/([ismU]*)$/s

export function isRegexLiteral(text: string): boolean {
  return literal.test(text)
}

/** Whether it is valid RE2 and not too large; without slashes. */
export function isRegex(source: string): boolean {
  return compileRegex(translated(source)) !== null
}

/** Compiles `/pattern/flags`; null if the text has another form, is invalid RE2, or is too large. */
export function compileLiteral(pattern: string): RE2JS | null {
  const [, source, flags] = literal.exec(pattern) ?? []
  if (source === undefined) return null
  return compileRegex(translated(flags ? `(?${flags})${source}` : source))
}

/** Null if it is invalid RE2 or too large, which is checked before it takes the memory. */
export function compileRegex(source: string, flags = 0): RE2JS | null {
  if (source.length > maxPattern_chars || sizeOf(source) > maxInstructions) return null
  try {
    const compiled = RE2JS.compile(source, flags)
    return compiled.programSize() > maxInstructions ? null : compiled
  } catch {
    return null
  }
}

const translated = (source: string) => source.replace(/\\(.)/gs, (escaped, letter: string) => translations.get(letter) ?? escaped)

const piece = /\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs

/** An estimate of its instructions that is never far too low: each element is one, and a counted repetition repeats what precedes it. */
function sizeOf(source: string): number {
  const groups: { total: number; last: number }[] = [{ total: 0, last: 0 }]
  for (const [text, least, most] of source.matchAll(piece)) {
    const group = groups.at(-1) ?? { total: 0, last: 0 }
    if (text === '(') groups.push({ total: 0, last: 0 })
    else if (text === ')' && groups.length > 1) {
      const inner = groups.pop()?.total ?? 0
      const around = groups.at(-1) ?? group
      around.last = inner + 2
      around.total += around.last
    } else if (least !== undefined) {
      const repeated = group.last * Math.max(Number(least), Number(most || 0), 1)
      group.total += repeated - group.last
      group.last = repeated
    } else {
      group.last = text.startsWith('\\Q') ? text.length : 1
      group.total += group.last
    }
  }
  return groups.reduce((sum, { total }) => sum + total, 0)
}
