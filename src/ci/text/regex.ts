/** Regular expressions of users: RE2's, which match in linear time whatever the pattern is. */
import { RE2JS } from 're2js'

const maxPattern_chars = 1_000
/** What is searched of a longer text. Commit messages and variables are shorter. */
const maxText_chars = 65_536
const maxKept = 1_000

/** Escapes of Ruby's expressions, which CI files were once written in, that RE2 doesn't have. */
const translations = new Map([
  ['/', '/'],
  ['Z', '(?:\\n?\\z)'],
])

const literal = /^\/(.+)\/([ismU]*)$/s

/** Whether a text is found. */
export type Finder = (text: string) => boolean

const kept = new Map<string, Finder | null>()

/** The finder of `/pattern/flags`; null where the text is no such thing, or RE2 doesn't take it. Compiled once. */
export function finderOf(pattern: string): Finder | null {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const finder = compileLiteral(pattern)
  if (kept.size >= maxKept) kept.clear()
  kept.set(pattern, finder)
  return finder
}

export function isRegexLiteral(text: string): boolean {
  return literal.test(text)
}

/** Whether RE2 takes it; without slashes. */
export function isRegex(source: string): boolean {
  return compile(source) !== null
}

function compileLiteral(pattern: string): Finder | null {
  const [, source, flags] = literal.exec(pattern) ?? []
  if (source === undefined) return null
  const compiled = compile(flags ? `(?${flags})${source}` : source)
  return compiled && ((text) => compiled.matcher(text.slice(0, maxText_chars)).find())
}

function compile(source: string): RE2JS | null {
  if (source.length > maxPattern_chars) return null
  try {
    return RE2JS.compile(source.replace(/\\(.)/gs, (escaped, letter: string) => translations.get(letter) ?? escaped))
  } catch {
    return null
  }
}
