/** `text` with another letter in its middle, or at a place: never the same text, whatever it was made of by chance. */
export const altered = (text: string, at = Math.floor(text.length / 2)): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
