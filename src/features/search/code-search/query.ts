/** Parses a search in code: a text, and filters of paths (`filename:`, `path:`, `extension:`). */
import { foldCase } from '../../../db/fold-case.ts'

export interface CodeQuery {
  /** Literal, ignoring case; empty if there are only filters. */
  text: string
  /** Whether the file matches the filters. */
  keeps: (path: string) => boolean
  hasFilters: boolean
  /** Parts that the path of each matching file contains, in lower case. */
  literals: string[]
}

type Condition = (path: string) => boolean

/** Words form one text, separated by single spaces. A negated filter (`-path:test`) excludes files. */
export function parseCodeQuery(search: string): CodeQuery {
  const words: string[] = []
  const conditions: Condition[] = []
  const literals: string[] = []
  for (const word of search.split(/\s+/).filter(Boolean)) {
    const [, minus = '', name, value = ''] = /^(-?)(filename|path|extension):(.+)$/i.exec(word) ?? []
    if (name === undefined) words.push(word)
    else {
      const parts = partsOf(name.toLowerCase(), value)
      const holds: Condition = (path) => hasParts(foldCase(path), parts, name.toLowerCase() !== 'path')
      conditions.push(minus === '' ? holds : (path) => !holds(path))
      if (minus === '') literals.push(...parts)
    }
  }
  const keeps: Condition = (path) => conditions.every((holds) => holds(path))
  return { text: words.join(' '), keeps, hasFilters: conditions.length > 0, literals }
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
