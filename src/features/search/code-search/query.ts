/** What is searched for in code: a text, and filters of paths (`filename:`, `path:`, `extension:`). */
import { foldCase } from '../../../db/fold-case.ts'

export interface CodeQuery {
  /** Taken as it is, ignoring case; empty where there are filters alone. */
  text: string
  /** Whether the file is wanted. */
  keeps: (path: string) => boolean
  hasFilters: boolean
  /** What the path of each wanted file has, in small letters. */
  literals: string[]
}

type Condition = (path: string) => boolean

/** Words are one text, with one space between them. A filter that is negated (`-path:test`) leaves out what it names. */
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

/** Names and extensions are the end of a path, `path:` is any part of it. Stars stand for anything. */
function partsOf(name: string, value: string): string[] {
  return foldCase(name === 'extension' ? `.${value}` : value).split('*')
}

/** Whether the parts follow each other in the text. Takes no more time than looking for each once. */
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
