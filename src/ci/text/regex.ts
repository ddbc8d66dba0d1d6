/** Regular expressions of users: RE2's, which match in linear time whatever the pattern is, and no larger than they may be. */
import { RE2JS } from 're2js'

const maxPattern_chars = 1_000
/**
 * What a pattern may compile to. Each instruction keeps some 800 bytes, and each may be looked at for each character: `(a?){1000}`,
 * ten characters, has 4,000.
 */
export const maxInstructions = 2_000

/** Escapes of Ruby's expressions, which CI files were once written in, that RE2 doesn't have. */
const translations = new Map([
  ['/', '/'],
  ['Z', '(?:\\n?\\z)'],
])

const literal = /^\/(.+)\/([ismU]*)$/s

export function isRegexLiteral(text: string): boolean {
  return literal.test(text)
}

/** Whether RE2 takes it, and it is no larger than it may be; without slashes. */
export function isRegex(source: string): boolean {
  return compileRegex(translated(source)) !== null
}

/** `/pattern/flags`; null where the text is no such thing, where RE2 doesn't take it, and where it is too large. */
export function compileLiteral(pattern: string): RE2JS | null {
  const [, source, flags] = literal.exec(pattern) ?? []
  if (source === undefined) return null
  return compileRegex(translated(flags ? `(?${flags})${source}` : source))
}

/** Null where RE2 doesn't take it, and where it is too large: that is seen before it takes the memory. */
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

/** About how many instructions it compiles to, and never far below: each piece is one, and a counted repetition repeats what is before it. */
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
