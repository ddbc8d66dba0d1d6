/** URLs with query parameters. */

/** Omits empty values. */
export function addressWith(address: string, chosen: Readonly<Record<string, string>>): string {
  const kept = Object.entries(chosen).filter(([, value]) => value !== '')
  return kept.length === 0 ? address : `${address}?${new URLSearchParams(kept).toString()}`
}
