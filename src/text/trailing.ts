/** Ends of texts. */

/**
 * The text without these characters at its end, in linear time: an expression that ends in `+$` is tried from each of them on, which takes
 * half a minute for 100,000 slashes in the middle of a text.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
