/** Which words differ between two lines. Takes time linear in their lengths, for any content. */
import { diffArrays } from 'diff'

/** Offsets: start, and end (exclusive). */
export type Range = readonly [start: number, end: number]

export interface WordChanges {
  old: Range[]
  new: Range[]
}

/** If the differing middle has at most this many words on each side, it is compared word by word; otherwise it differs as a whole. */
const maxTokens = 120
const maxEdits = 60
/** In longer lines, only the common prefix and suffix are found. */
const maxLine_chars = 2_000
/** Two lines that share less than this fraction are considered unrelated. */
const minShared = 0.3

/** Null if the lines have too little in common for marks to help. */
export function wordChanges(before: string, after: string): WordChanges | null {
  const shorter = Math.min(before.length, after.length)
  const start = wordStart(before, after, sharedStart(before, after, shorter))
  const end = sharedEnd(before, after, shorter - start)
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const found = start + end < before.length && old.length + next.length <= maxLine_chars ? changesWithin(old, next) : null
  const ranges = found ?? { old: whole(old), new: whole(next) }
  const changed = Math.max(lengthOf(ranges.old), lengthOf(ranges.new))
  const longer = Math.max(before.trim().length, after.trim().length, 1)
  if (changed > longer * (1 - minShared)) return null
  const shift = ([from, to]: Range): Range => [from + start, to + start]
  return { old: ranges.old.map(shift), new: ranges.new.map(shift) }
}

const whole = (text: string): Range[] => (text === '' ? [] : [[0, text.length]])

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0)
}

function sharedStart(before: string, after: string, max: number): number {
  let at = 0
  while (at < max && before.charCodeAt(at) === after.charCodeAt(at)) at += 1
  return at
}

function sharedEnd(before: string, after: string, max: number): number {
  let length = 0
  while (length < max && before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)) length += 1
  // Back to the boundary of a word, so that `one` and `none` differ as words; never between the halves of a surrogate pair.
  while (length > 0 && isWithin(before, before.length - length)) length -= 1
  while (length > 0 && isWithin(after, after.length - length)) length -= 1
  return length
}

function wordStart(before: string, after: string, at: number): number {
  let start = at
  while (start > 0 && (isWithin(before, start) || isWithin(after, start))) start -= 1
  return start
}

const wordCharacter = /[\w\u0080-\uffff]/

/** Whether the characters on both sides of this offset belong to one word. */
function isWithin(text: string, at: number): boolean {
  return at > 0 && at < text.length && wordCharacter.test(text[at - 1] as string) && wordCharacter.test(text[at] as string)
}

const token = /[\w\u0080-\uffff]+|\s+|[\s\S]/g

function changesWithin(old: string, next: string): WordChanges | null {
  const [before, after] = [old.match(token) ?? [], next.match(token) ?? []]
  if (before.length > maxTokens || after.length > maxTokens) return null
  const parts = diffArrays(before, after, { maxEditLength: maxEdits })
  if (!parts) return null
  const changes: WordChanges = { old: [], new: [] }
  let [oldAt, newAt] = [0, 0]
  for (const { value, added, removed } of parts) {
    const length = value.reduce((sum, word) => sum + word.length, 0)
    if (removed) changes.old.push([oldAt, oldAt + length])
    if (added) changes.new.push([newAt, newAt + length])
    if (!added) oldAt += length
    if (!removed) newAt += length
  }
  return changes
}
