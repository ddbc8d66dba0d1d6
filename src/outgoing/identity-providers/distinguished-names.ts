/** Names of entries in a directory, which are equal in any case, with or without spaces around commas. */

/** The normalized spelling under which a name is stored and compared. */
export function normalizedName(dn: string): string {
  return dn
    .trim()
    .toLowerCase()
    .replace(/(?<!\\)\s*,\s*/g, ',')
}
