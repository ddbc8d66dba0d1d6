/** Colours in code: `#2e8b57`, `rgb(…)` and `hsl(…)` are shown beside their text. */

const alpha = '(?:,\\s*(?:0?\\.\\d{1,9}|[01](?:\\.\\d{1,9})?|\\d{1,3}%))?'
const hex = '#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})'
const rgb = `rgba?\\((?:\\d{1,3},\\s*\\d{1,3},\\s*\\d{1,3}|\\d{1,3}%,\\s*\\d{1,3}%,\\s*\\d{1,3}%)${alpha}\\)`
const hsl = `hsla?\\(-?\\d{1,4}(?:\\.\\d{1,9})?(?:deg|rad)?,\\s*\\d{1,3}%,\\s*\\d{1,3}%${alpha}\\)`
const colour = new RegExp(`^(?:${hex}|${rgb}|${hsl})$`, 'i')

/** A picture of the colour; null for what is none. Styles are forbidden on pages, so it is drawn. */
export function colourChip(code: string): string | null {
  if (code.length > 60 || !colour.test(code)) return null
  return `<svg class="chip" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" rx="2" fill="${code}"/></svg>`
}
