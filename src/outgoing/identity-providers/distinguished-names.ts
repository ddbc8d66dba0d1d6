/** Names of entries in a directory: the same in any case, with or without spaces around commas. */

/** The one spelling under which a name is stored and compared. */
export function normalizedName(dn: string): string {
  return dn
    .trim()
    .toLowerCase()
    .replace(/(?<!\\)\s*,\s*/g, ',')
}
