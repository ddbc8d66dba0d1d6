/** Shows invisible characters, and those that change the text direction, by their code, so that code reads as it runs. */

/** Marks and overrides of direction, what has no width, and control characters but tab and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const controls = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Characters that can make text look different from what it is. */
const misleading = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]|(?!^)\ufeff/

/** Wraps each of them in escaped HTML with an element that shows its code and ends its effect; the text is unchanged. */
export function revealControls(html: string): string {
  return html.replace(controls, (control) => {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `<bdi class="control" data-code="U+${code}">${control}</bdi>`
  })
}

/** Whether a text contains characters that can make it look different from what it is. */
export function isMisleading(text: string): boolean {
  return misleading.test(text)
}
