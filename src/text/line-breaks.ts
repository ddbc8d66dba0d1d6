/** Line breaks: converts all to one kind, or restores those that a text had before it was edited in a browser. */
import { diffArrays } from 'diff'

/** Lines with their terminators; a lone carriage return is one, too, as in browsers. */
const lines = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g
const ends = /\r\n|\r|\n/
/** Comparing two texts that have little in common would take long. */
const timeout_ms = 200

/** Browsers send every line break as CRLF, whichever it was; a line feed is what was meant. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** The text with its former line breaks: unchanged lines keep theirs, new lines get that of the line before. */
export function withBreaksOf(text: string, before: string): string {
  const plain = withLineFeeds(text)
  const old = before.match(lines) ?? []
  const kinds = new Set(old.flatMap((line) => ends.exec(line)?.[0] ?? []))
  const [only = '\n'] = kinds
  return kinds.size > 1 ? linesWithBreaksOf(plain, old) : plain.replaceAll('\n', only)
}

function linesWithBreaksOf(plain: string, old: string[]): string {
  const bare = old.map((line) => line.replace(ends, ''))
  const now = plain.match(lines) ?? []
  const parts = diffArrays(
    bare,
    now.map((line) => line.replace(ends, '')),
    { timeout: timeout_ms },
  ) ?? [{ added: false, removed: false, count: now.length }]
  let [at, last, next] = [0, '', 0]
  const written: string[] = []
  for (const { added, removed, count } of parts) {
    if (removed) at += count
    if (removed) continue
    for (const line of now.slice(next, next + count)) {
      if (!added) last = ends.exec(old[at++] ?? '')?.[0] ?? last
      const end = last || (ends.exec(old.find((one) => ends.test(one)) ?? '')?.[0] ?? '\n')
      written.push(line.replace(ends, end))
    }
    next += count
  }
  return written.join('')
}
