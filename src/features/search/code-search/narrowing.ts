/**
 * Which trigrams a text must have that a regular expression matches, so that the index can narrow the search: as in Russ Cox, "Regular
 * Expression Matching with a Trigram Index" (2012). For each part of the expression it is known which texts it matches, where these are few, or
 * else how such texts begin and end, and what they have in between.
 */
import { foldCase } from '../../../db/fold-case.ts'
import { type Expression, readExpression } from './expression-syntax.ts'

/** A necessary condition: a text must have all these trigrams, which are numbers of three bytes, and fulfil at least one of each choice. */
export interface Needs {
  trigrams: number[]
  choices: Needs[][]
}

/** Null where it may be any text. */
export type Need = Needs | null

/** Texts are bytes of UTF-8 without capitals, a character for each byte. */
type Texts = string[]

interface Known {
  /** All texts that match; null where they are too many. */
  exact: Texts | null
  /** In other parts each match begins with one of `starts`, and ends with one of `ends`. */
  starts: Texts
  ends: Texts
  need: Need
}

/** Texts of which one is to be had. With more, the index is asked too often, and seldom says no. */
const maxTexts = 8
/** The index is asked for each. */
const maxChoices = 16
const gram = 3

/**
 * Null where a match may have anything. RE2 takes the long ſ for an `s`, and some old forms of Greek letters for the others, which the index
 * doesn't: a line that matches by such a letter alone may be missed.
 */
export function needOfExpression(source: string): Need {
  return settled(knownOf(readExpression(source))).need
}

/** The need of a search for several texts that must all occur. */
export function needOfTexts(parts: string[]): Need {
  const trigrams = distinct(parts.flatMap((part) => trigramsIn(bytesOf(part))))
  return trigrams.length === 0 ? null : { trigrams, choices: [] }
}

/**
 * Whether a text may match, as far as its trigrams of ASCII tell: that takes a small part of the time of an expression, and most lines of a
 * file don't have them.
 */
export function mayMatch(need: Need): (text: string) => boolean {
  if (need === null) return () => true
  const asked = askedOf(need)
  return (text) => has(foldCase(text), asked)
}

/** As `Needs`, in texts. */
interface Asked {
  all: string[]
  choices: Asked[][]
}

function askedOf({ trigrams, choices }: Needs): Asked {
  const texts = trigrams.map((trigram) => String.fromCharCode(trigram >> 16, (trigram >> 8) & 0xff, trigram & 0xff))
  return { all: texts.filter((text) => /^[\0-\x7f]*$/.test(text)), choices: choices.map((choice) => choice.map(askedOf)) }
}

function has(text: string, { all, choices }: Asked): boolean {
  return all.every((one) => text.includes(one)) && choices.every((choice) => choice.some((asked) => has(text, asked)))
}

/** Both needs together. */
export function both(a: Need, b: Need): Need {
  if (a === null || b === null) return a ?? b
  return { trigrams: distinct([...a.trigrams, ...b.trigrams]), choices: [...a.choices, ...b.choices].slice(0, maxChoices) }
}

/** Any text will do where it will do for one of them. */
function oneOf(needs: Need[]): Need {
  const choice: Needs[] = []
  for (const need of needs) {
    if (need === null) return null
    choice.push(...choicesOf(need))
  }
  const [only, ...others] = choice
  return only && others.length === 0 ? only : { trigrams: [], choices: [choice] }
}

/** A choice among choices is one. */
function choicesOf(needs: Needs): Needs[] {
  const [only, ...others] = needs.trigrams.length === 0 ? needs.choices : []
  return only && others.length === 0 ? only : [needs]
}

const empty: Known = { exact: [''], starts: [], ends: [], need: null }
const anything: Known = { exact: null, starts: [''], ends: [''], need: null }

function knownOf(part: Expression): Known {
  switch (part.is) {
    case 'character':
      return { ...empty, exact: distinct(part.among.map(bytesOf)) }
    case 'any character':
      return anything
    case 'place':
      return empty
    case 'sequence':
      return part.parts.map(knownOf).reduce(joined, empty)
    case 'choice':
      return part.parts.map(knownOf).reduce(chosen)
    case 'repetition':
      return repeated(knownOf(part.part), part.min, part.max)
  }
}

/** One after the other. */
function joined(a: Known, b: Known): Known {
  if (a.exact && b.exact) return bounded({ ...empty, exact: pairs(a.exact, b.exact) })
  const starts = a.exact ? pairs(a.exact, b.starts) : a.starts
  const ends = b.exact ? pairs(a.ends, b.exact) : b.ends
  const between = a.exact || b.exact ? null : needOfAny(pairs(a.ends, b.starts))
  return bounded({ exact: null, starts, ends, need: both(both(a.need, b.need), between) })
}

/** One or the other. */
function chosen(a: Known, b: Known): Known {
  if (a.exact && b.exact) return bounded({ ...empty, exact: distinct([...a.exact, ...b.exact]) })
  const [one, other] = [settled(a), settled(b)]
  return bounded({
    exact: null,
    starts: distinct([...one.starts, ...other.starts]),
    ends: distinct([...one.ends, ...other.ends]),
    need: oneOf([one.need, other.need]),
  })
}

/** Repetitions that are followed up; a match of more begins with so many, and ends with so many. */
const maxFollowed = gram

function repeated(part: Known, min: number, max: number): Known {
  if (max === 0) return empty
  if (min === 0) return max === 1 ? chosen(part, empty) : anything
  if (!part.exact) return part
  let known = part
  for (let count = 1; count < Math.min(min, maxFollowed); count += 1) known = joined(known, part)
  return min === max && min <= maxFollowed ? known : settled(known)
}

/** As beginnings and ends, and the need of its texts. */
function settled(known: Known): Known {
  const { exact } = known
  return exact ? bounded({ exact: null, starts: exact, ends: exact, need: known.need }) : known
}

/** With no more and no longer texts than pay: what is cut off has become a need. */
function bounded(known: Known): Known {
  const { exact } = known
  if (exact) return exact.length > maxTexts || shortest(exact) > gram ? settled(known) : known
  const ofEnds = known.ends === known.starts ? null : needOfAny(known.ends)
  const need = both(both(known.need, needOfAny(known.starts)), ofEnds)
  return {
    exact: null,
    starts: cut(known.starts, (text, length) => text.slice(0, length)),
    ends: cut(known.ends, (text, length) => (length === 0 ? '' : text.slice(-length))),
    need,
  }
}

function cut(texts: Texts, to: (text: string, length: number) => string): Texts {
  for (let length = gram - 1; length > 0; length -= 1) {
    const shorter = distinct(texts.map((text) => to(text, length)))
    if (shorter.length <= maxTexts) return shorter
  }
  return ['']
}

/** Null where one of them has no trigram, or they are too many. */
function needOfAny(texts: Texts): Need {
  if (texts.length === 0 || texts.length > maxTexts * maxTexts || shortest(texts) < gram) return null
  return oneOf(texts.map((text) => ({ trigrams: trigramsIn(text), choices: [] })))
}

function trigramsIn(text: string): number[] {
  const bytes = Buffer.from(text, 'latin1')
  return distinct(Array.from({ length: Math.max(bytes.length - gram + 1, 0) }, (_, at) => bytes.readUIntBE(at, gram)))
}

function bytesOf(text: string): string {
  return Buffer.from(foldCase(text)).toString('latin1')
}

function pairs(a: Texts, b: Texts): Texts {
  return distinct(a.flatMap((start) => b.map((end) => start + end)))
}

function distinct<T>(values: T[]): T[] {
  return [...new Set(values)]
}

function shortest(texts: Texts): number {
  return Math.min(...texts.map(({ length }) => length))
}
