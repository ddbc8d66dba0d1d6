/** Words of strangers in mail. */

/**
 * As it reads, with an invisible break behind each dot and colon: mail programs make links of what looks like an address, and a name can be
 * one that leads to its owner's site.
 */
export function unlinked(text: string): string {
  return text.replace(/[.:](?=\S)/g, '$&\u200b')
}
