/** The one way in which searches ignore case: both engines and the code treat the same letters as equal. */

/**
 * Lower case for all scripts. Sigma has two lower case letters, which are treated as equal. Databases have this as the function
 * `fold_case`: SQLite calls this one, PostgreSQL uses the same Unicode tables (`migrations/text-search.ts`).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** The only letter that folds to two: an i with a dot above it. */
const [dottedCapital, dot] = ['İ', '\u0307']

/**
 * The folded text, letter by letter: each with all letters that fold to it, itself first. A text contains another if case is ignored exactly if
 * it contains one choice of these.
 */
export function spellingsIn(text: string): string[][] {
  spellings ??= readSpellings()
  const found: string[][] = []
  const letters = Array.from(foldCase(text))
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters[index] as string
    const isDotted = letter === 'i' && letters[index + 1] === dot
    // Either half of the dotted capital may be at an end of the text.
    const isHalf = (letter === 'i' && index === letters.length - 1) || (letter === dot && index === 0)
    if (isDotted) found.push([`i${dot}`, `I${dot}`, dottedCapital])
    else found.push([...(spellings.get(letter) ?? [letter]), ...(isHalf ? [dottedCapital] : [])])
    if (isDotted) index += 1
  }
  return found
}

let spellings: Map<string, string[]> | null = null
/** No script beyond this code point has upper and lower case. */
const lastWithCase = 0x1ffff
const [firstSurrogate, lastSurrogate] = [0xd800, 0xdfff]

/** The other spellings of each letter that has any. */
function readSpellings(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (let code = 1; code <= lastWithCase; code += 1) {
    if (code >= firstSurrogate && code <= lastSurrogate) continue
    const letter = String.fromCodePoint(code)
    const folded = foldCase(letter)
    if (folded === letter) continue
    const others = found.get(folded)
    if (others) others.push(letter)
    else found.set(folded, [folded, letter])
  }
  return found
}
