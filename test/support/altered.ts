/** `text` with another letter in its middle, or at a position: guaranteed to differ, whatever random text it is. */
export const altered = (text: string, at = Math.floor(text.length / 2)): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
