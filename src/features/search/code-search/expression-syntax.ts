/**
 * The parts of a regular expression in RE2's syntax, as far as they tell which texts a match must have. What is valid is decided by RE2 itself:
 * here everything is read, and what isn't a plain character may be anything.
 */

export type Expression =
  /** One character, which is one of these. */
  | { is: 'character'; among: string[] }
  | { is: 'any character' }
  /** A place between characters, such as `^` and `\b`. */
  | { is: 'place' }
  | { is: 'sequence'; parts: Expression[] }
  | { is: 'choice'; parts: Expression[] }
  | { is: 'repetition'; part: Expression; min: number; max: number }

/** A class with more members may as well be anything. */
const maxMembers = 4

const opening = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z]*(?:-[a-zA-Z]*)?:))?/
/** Flags for the rest of the group around them: what is repeated after them stands before them. */
const flags = /^\(\?[a-zA-Z]*(?:-[a-zA-Z]*)?\)/
const quoted = /^\\Q(.*?)(?:\\E|$)/s
/** A number with a leading zero makes of the braces plain characters. */
const repetition = /^(?:([*+?])|\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\})\??/
/** Escapes that are longer than two characters. */
const longEscape = /^\\(?:[pP]\{[^}]*\}|[pP].|x\{[^}]*\}|x[0-9a-fA-F]{2}|[0-7]{1,3})/su
const places = /^\\[AbBzZ]/
const punctuation = /^\\([^\w\s])/su
const characterClass = /^\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]/
/** A class of some characters that stand for themselves. */
const plainClass = /^\[([^\]\\^[-][^\]\\[-]*)\]$/

export function readExpression(source: string): Expression {
  let rest = source
  const take = (length: number) => {
    rest = rest.slice(length)
  }

  function readChoice(): Expression {
    const parts = [readSequence()]
    while (rest.startsWith('|')) {
      take(1)
      parts.push(readSequence())
    }
    return parts.length === 1 ? (parts[0] as Expression) : { is: 'choice', parts }
  }

  function readSequence(): Expression {
    const parts: Expression[] = []
    while (rest !== '' && !rest.startsWith('|') && !rest.startsWith(')')) {
      const [text, literal = ''] = quoted.exec(rest) ?? flags.exec(rest) ?? []
      take(text?.length ?? 0)
      if (text === undefined) parts.push(readOne())
      else parts.push(...Array.from(literal, only))
      repeatLast(parts)
    }
    return { is: 'sequence', parts }
  }

  function repeatLast(parts: Expression[]): void {
    for (let found = repetition.exec(rest); found; found = repetition.exec(rest)) {
      take(found[0].length)
      const last = parts.pop()
      if (last) parts.push({ is: 'repetition', part: last, ...bounds(found) })
    }
  }

  function readOne(): Expression {
    const group = opening.exec(rest)
    if (group) {
      take(group[0].length)
      const inner = readChoice()
      take(1)
      return inner
    }
    return readCharacter()
  }

  function readCharacter(): Expression {
    const group = characterClass.exec(rest)
    if (group) {
      take(group[0].length)
      return members(group[0])
    }
    if (rest.startsWith('\\')) return readEscape()
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    take(character.length)
    if (character === '.') return { is: 'any character' }
    return character === '^' || character === '$' ? { is: 'place' } : only(character)
  }

  function readEscape(): Expression {
    const place = places.exec(rest)
    const sign = punctuation.exec(rest)
    const [taken] = place ?? sign ?? longEscape.exec(rest) ?? [rest.slice(0, 2)]
    take(taken.length)
    if (place) return { is: 'place' }
    return sign ? only(sign[1] ?? '') : { is: 'any character' }
  }

  const parts = [readChoice()]
  // RE2 takes no expression that closes more groups than it opens.
  while (rest !== '') {
    take(1)
    parts.push(readChoice())
  }
  return { is: 'sequence', parts }
}

function only(character: string): Expression {
  return { is: 'character', among: [character] }
}

function members(text: string): Expression {
  const among = Array.from(plainClass.exec(text)?.[1] ?? '')
  return among.length > 0 && among.length <= maxMembers ? { is: 'character', among } : { is: 'any character' }
}

function bounds([, sign, least, comma, most]: RegExpExecArray): { min: number; max: number } {
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  const min = Number(least)
  if (comma === undefined) return { min, max: min }
  return { min, max: most ? Number(most) : Number.POSITIVE_INFINITY }
}
