/** Parses a code search: a text or a regular expression, and filters of paths (`filename:`, `path:`, `extension:`). */
import { foldCase } from '../../../db/fold-case.ts'
import { expressionMatcher, type LineMatcher, textMatcher } from './matchers.ts'
import { both, type Need, needOfExpression, needOfTexts } from './narrowing.ts'

export interface CodeQuery {
  /** Taken as it is, ignoring case, or a regular expression; empty where there are filters alone. */
  text: string
  /** Finds it in a line or a path. */
  matcher: LineMatcher
  /** Whether the file is wanted. */
  keeps: (path: string) => boolean
  hasFilters: boolean
  /** Holds for each wanted file: in its content or its path. */
  need: Need
}

type Condition = (path: string) => boolean

const filter = /(?<!\S)(-?)(filename|path|extension):(\S+)/gi

/**
 * Words of a text have one space between them; in a regular expression spaces count as they are. A filter that is negated (`-path:test`)
 * leaves out what it names. Throws 400 for an invalid expression.
 */
export function parseCodeQuery(search: string, { regex = false }: { regex?: boolean | undefined } = {}): CodeQuery {
  const conditions: Condition[] = []
  const literals: string[] = []
  for (const [, minus, name = '', value = ''] of search.matchAll(filter)) {
    const parts = partsOf(name.toLowerCase(), value)
    const holds: Condition = (path) => hasParts(foldCase(path), parts, name.toLowerCase() !== 'path')
    conditions.push(minus === '' ? holds : (path) => !holds(path))
    if (minus === '') literals.push(...parts)
  }
  const rest = search.replace(filter, '').trim()
  const text = regex ? rest : rest.replace(/\s+/g, ' ')
  const need = regex ? needOfExpression(text) : needOfTexts([text])
  return {
    text,
    matcher: regex ? expressionMatcher(text, need) : textMatcher(text),
    keeps: (path) => conditions.every((holds) => holds(path)),
    hasFilters: conditions.length > 0,
    need: both(need, needOfTexts(literals)),
  }
}

/** Names and extensions match the end of a path, `path:` any part of it. `*` matches anything. */
function partsOf(name: string, value: string): string[] {
  return foldCase(name === 'extension' ? `.${value}` : value).split('*')
}

/** Whether the text contains the parts in order. Takes no more time than searching for each once. */
function hasParts(text: string, parts: string[], isEnd: boolean): boolean {
  const last = isEnd ? (parts.at(-1) ?? '') : ''
  const end = text.length - last.length
  if (!text.endsWith(last)) return false
  let at = 0
  for (const part of isEnd ? parts.slice(0, -1) : parts) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
