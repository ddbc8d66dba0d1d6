/** The one way in which searches ignore case: the same letters are equal on both engines, in texts of the database and in code. */

/**
 * Without capitals, of all scripts. A sigma has two small forms, of which a capital may stand for either. Databases have it as the
 * function `fold_case`: SQLite by a call of this one, PostgreSQL by the same tables of letters (`migrations/text-search.ts`).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
