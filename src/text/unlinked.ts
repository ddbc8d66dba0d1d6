/** Keeps mail programs from making links of the words of strangers. */

/**
 * Puts an invisible break behind each dot and colon. Mail programs make links of all that looks like an address, so a user's name could
 * lead readers to a site of that user's choice.
 */
export function unlinked(text: string): string {
  return text.replace(/[.:](?=\S)/g, '$&\u200b')
}
