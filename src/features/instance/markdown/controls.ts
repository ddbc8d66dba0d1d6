/** Characters that can't be seen, or that turn the direction of what follows: shown by their number, so that code reads as it runs. */

/** Marks and overrides of direction, what has no width, and control characters but tab and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Characters that can make text read other than it is. */
const misleading = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]|(?!^)\ufeff/

/** Escaped HTML, with each of them in an element that shows its number and ends its effect; the text stays what it was. */
export function revealControls(html: string): string {
  return html.replace(controls, (control) => {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `<bdi class="control" data-code="U+${code}">${control}</bdi>`
  })
}

/** Whether a text has characters that can make it read other than it is. */
export function isMisleading(text: string): boolean {
  return misleading.test(text)
}
