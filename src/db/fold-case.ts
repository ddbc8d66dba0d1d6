/** The one way in which searches ignore case: both engines and the code treat the same letters as equal. */

/**
 * Lower case for all scripts. Sigma has two lower case letters, which are treated as equal. Databases have this as the function
 * `fold_case`: SQLite calls this one, PostgreSQL uses the same Unicode tables (`migrations/text-search.ts`).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** All letters that fold to the same letter as this one, including itself. A letter that folds to two has no others. */
export function spellingsOf(letter: string): string[] {
  spellings ??= readSpellings()
  return spellings.get(foldCase(letter)) ?? [letter]
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
