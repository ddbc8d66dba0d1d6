/** Looks for secrets in paths and in contents of files: pure functions, in one pass over the bytes. */
import { isUtf8 } from 'node:buffer'
import { withoutTrailing } from '../../../text/trailing.ts'
import { type SecretText, secretFiles, secretTexts } from './secret-patterns.ts'

export interface SecretFound {
  /** The kind of the secret, for the message. */
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
/** Sticky copies of the patterns, which match only at the index where they are tried. */
const atPlace = new Map(secretTexts.map((kind) => [kind, new RegExp(kind.pattern.source, 'y')]))

/** The part of a line before a continued string: indentation, an operator or a comment sign, and the opening quote. */
const beginning = /^[ \t]*(?:[#*+.&|]|\/\/)?[ \t]*(?:[rbuf]?["'`])?/
/** The longest secret, with what may stand between two parts of it. */
const longest_chars = 500
/** Whatever has that many is a table of tokens: what it is need not be told more often. */
const maxFound = 10
/** Lines over which one secret is looked for. */
const maxParts = 12
/** How many places of a file are looked at over line breaks: each takes as long as reading a page of it. */
const maxJoined = 2_000

/** How many line breaks are looked at for a secret whose beginning is on both sides. */
const maxSeams = 20_000
/** Characters to look at on each side of a line break, including quotes and operators. */
const seam_chars = 64

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
  return [...found, ...brokenBeginnings(text)].sort((a, b) => a.line - b.line).slice(0, maxFound)
}

/** Finds secrets whose very first characters are split by a line break: `"AK" +` and `"IA…"`. */
function brokenBeginnings(text: string): SecretFound[] {
  const found: SecretFound[] = []
  let line = 0
  for (let at = text.indexOf('\n'); at >= 0 && line < maxSeams && found.length < maxFound; at = text.indexOf('\n', at + 1)) {
    line += 1
    const before = withoutEnd(text.slice(Math.max(0, at - seam_chars), at))
    const after = text.slice(at + 1, at + 1 + seam_chars).replace(beginning, '')
    for (const { 0: start, index } of (before + after).matchAll(starts)) {
      const isAcross = index < before.length && index + start.length > before.length
      const kind = isAcross && !isWithinWord(before, index) ? kindsByStart.get(start) : undefined
      const pattern = kind && atPlace.get(kind)
      if (!kind || !pattern) continue
      const rest = text.slice(at + 1, at + 1 + longest_chars).replace(beginning, '')
      const secret = joinedAt(pattern, index, [before, ...partsOf(rest)])
      if (secret !== null && !isExample(secret)) found.push({ name: kind.name, line })
    }
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
  const joined = joinedAt(pattern, 0, partsOf(around))
  return joined !== null && !isExample(joined)
}

/**
 * Joins one part after the other until the pattern matches: the text after the secret may be a word, too, which would spoil a match of all.
 */
function joinedAt(pattern: RegExp, index: number, parts: readonly string[]): string | null {
  let joined = parts[0] ?? ''
  for (const part of parts.slice(1, maxParts)) {
    joined += part
    pattern.lastIndex = index
    const [found] = pattern.exec(joined) ?? []
    if (found !== undefined) return found
  }
  return null
}

/** Keys that documentation shows say so. */
function isExample(secret: string): boolean {
  return /example/i.test(secret)
}

/** The content that each line contributes to a string over several lines: without `" +`, a backslash, a comment's `#` or `*`. */
function partsOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.map((line, at) => {
    const part = at === 0 ? line : line.replace(beginning, '')
    return at === lines.length - 1 ? part : withoutEnd(part)
  })
}

function withoutEnd(line: string): string {
  const words = withoutTrailing(line.endsWith('\r') ? line.slice(0, -1) : line, ' \t')
  const string = withoutTrailing(/[+.,\\&|]$/.test(words) ? words.slice(0, -1) : words, ' \t')
  return /["'`]$/.test(string) ? string.slice(0, -1) : string
}
