/** The one way in which searches ignore case: the same letters are equal on both engines, in texts of the database and in code. */

/**
 * Without capitals, of all scripts. A sigma has two small forms, of which a capital may stand for either. Databases have it as the
 * function `fold_case`: SQLite by a call of this one, PostgreSQL by the same tables of letters (`migrations/text-search.ts`).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** All letters that fold to the same as this one, itself among them. A letter that folds to two has no others. */
export function spellingsOf(letter: string): string[] {
  spellings ??= readSpellings()
  return spellings.get(foldCase(letter)) ?? [letter]
}

let spellings: Map<string, string[]> | null = null
/** Behind it no script has capitals. */
const lastWithCase = 0x1ffff
const [firstSurrogate, lastSurrogate] = [0xd800, 0xdfff]

/** Reads the other spellings of letters that have some. */
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
