/** Looks for secrets in paths and in contents of files: pure functions, in one pass over the bytes. */
import { isUtf8 } from 'node:buffer'
import { withoutTrailing } from '../../../text/trailing.ts'
import { type SecretText, secretFiles, secretTexts } from './secret-patterns.ts'

export interface SecretFound {
  /** What kind of secret it is. */
  name: string
  line: number
}

/** The kind of secret that a file with this path holds; null if the name doesn't tell. */
export function secretFileName(path: string): string | null {
  return secretFiles.find((kind) => kind.path.test(path))?.name ?? null
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const kindsByStart = new Map(secretTexts.flatMap((kind) => kind.starts.map((start) => [start, kind] as const)))
const starts = new RegExp([...kindsByStart.keys()].map(escaped).join('|'), 'g')
/** The same patterns, each only where it is tried. */
const atPlace = new Map(secretTexts.map((kind) => [kind, new RegExp(kind.pattern.source, 'y')]))

/** Where a string begins that was broken over lines, behind an operator or the sign of a comment. */
const beginning = /^[ \t]*(?:[#*+.&|]|\/\/)?[ \t]*[rbuf]?["'`]?/
/** The longest secret, with what may stand between two parts of it. */
const longest_chars = 500
/** Whatever has that many is a table of tokens: what it is need not be told more often. */
const maxFound = 10
/** How many places of a file are looked at over line breaks: each takes as long as reading a page of it. */
const maxJoined = 2_000

/** The secrets in a file, in the order of their lines. Also finds one that is broken over lines, and texts in UTF-16. */
export function secretsIn(data: Buffer): SecretFound[] {
  const text = textOf(data)
  const found: SecretFound[] = []
  let line = 1
  let counted = 0
  let joined = 0
  const mayJoin = () => ++joined <= maxJoined
  for (const { 0: start, index } of text.matchAll(starts)) {
    const kind = kindsByStart.get(start)
    if (!kind || isWithinWord(text, index) || !isSecret(text, index, kind, mayJoin)) continue
    for (let at = text.indexOf('\n', counted); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1
    counted = index
    found.push({ name: kind.name, line })
    if (found.length === maxFound) break
  }
  return found
}

/** Bytes as characters one to one, so that binary files are looked at as they are, and no file is changed by decoding. */
function textOf(data: Buffer): string {
  const mark = data.length >= 2 ? data.readUInt16BE(0) : 0
  if (mark === 0xfffe) return data.toString('utf16le')
  if (mark === 0xfeff && !isUtf8(data))
    return Buffer.from(data.subarray(0, data.length & ~1))
      .swap16()
      .toString('utf16le')
  return data.toString('latin1')
}

function isWithinWord(text: string, index: number): boolean {
  return index > 0 && /\w/.test(text.charAt(index - 1)) && /\w/.test(text.charAt(index))
}

function isSecret(text: string, index: number, kind: SecretText, mayJoin: () => boolean): boolean {
  const pattern = atPlace.get(kind)
  if (!pattern) return false
  pattern.lastIndex = index
  const [whole] = pattern.exec(text) ?? []
  if (whole !== undefined) return !isExample(whole)
  const around = text.slice(index, index + longest_chars)
  if (!around.includes('\n') || !mayJoin()) return false
  pattern.lastIndex = 0
  const [joined] = pattern.exec(withoutBreaks(around)) ?? []
  return joined !== undefined && !isExample(joined)
}

/** Keys that documentation shows say so. */
function isExample(secret: string): boolean {
  return /example/i.test(secret)
}

/** A string that goes on in the next line as one: without `"AKIA…" +`, a backslash, a comment's `#` or `*`. */
function withoutBreaks(text: string): string {
  const lines = text.split('\n')
  return lines.map((line, at) => withoutEnd(at === 0 ? line : line.replace(beginning, ''), at < lines.length - 1)).join('')
}

function withoutEnd(line: string, isBroken: boolean): string {
  if (!isBroken) return line
  const words = withoutTrailing(line.endsWith('\r') ? line.slice(0, -1) : line, ' \t')
  const string = withoutTrailing(/[+.,\\&|]$/.test(words) ? words.slice(0, -1) : words, ' \t')
  return /["'`]$/.test(string) ? string.slice(0, -1) : string
}
