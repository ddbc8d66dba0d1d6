/** Terminal colors (`\x1b[31;1m` and the like) as CSS classes. No other terminal features are supported. */

/** The style of the text that follows; null and false mean the default. */
export interface Look {
  /** 0 to 15. */
  fg: number | null
  bg: number | null
  bold: boolean
  italic: boolean
  underline: boolean
}

export const plainLook: Look = { fg: null, bg: null, bold: false, italic: false, underline: false }

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => signs[sign] as string)

// Colors and styles. Other escape sequences, with a letter at the end or a title, are dropped, as are all control characters.
const sequence = new RegExp(
  [
    String.raw`\x1b\[([0-9;:]*)m`,
    String.raw`\x1b\[[0-9;?:<=>]*[ -/]*[@-~]`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?`,
    String.raw`\x1b[()#][0-9A-Za-z]?`,
    String.raw`\x1b[@-Z\\^_=>78]?`,
    String.raw`[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]`,
  ].join('|'),
  'g',
)

/** A line as HTML, and the style at the beginning of the next one. */
export function lineAsHtml(text: string, look: Look): { html: string; look: Look } {
  let current = look
  let html = ''
  let at = 0
  const write = (until: number) => {
    if (until > at) html += wrapped(text.slice(at, until), current)
  }
  for (const match of text.matchAll(sequence)) {
    write(match.index)
    at = match.index + match[0].length
    if (match[1] !== undefined) current = changed(current, match[1])
  }
  write(text.length)
  return { html, look: current }
}

function wrapped(text: string, { fg, bg, bold, italic, underline }: Look): string {
  const names = [
    fg !== null && `t-f${fg}`,
    bg !== null && `t-b${bg}`,
    bold && 't-bold',
    italic && 't-italic',
    underline && 't-under',
  ].filter(Boolean)
  return names.length === 0 ? escaped(text) : `<span class="${names.join(' ')}">${escaped(text)}</span>`
}

function changed(look: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map((code) => Number(code) || 0)
  let next = { ...look }
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] as number
    if (code === 38 || code === 48) {
      const { colour, taken } = extended(codes.slice(index + 1))
      index += taken
      next = code === 38 ? { ...next, fg: colour } : { ...next, bg: colour }
    } else next = { ...next, ...simple(code) }
  }
  return next
}

function simple(code: number): Partial<Look> {
  if (code === 0) return plainLook
  if (code === 1) return { bold: true }
  if (code === 3) return { italic: true }
  if (code === 4) return { underline: true }
  if (code === 22) return { bold: false }
  if (code === 23) return { italic: false }
  if (code === 24) return { underline: false }
  if (code === 39) return { fg: null }
  if (code === 49) return { bg: null }
  if (code >= 30 && code <= 37) return { fg: code - 30 }
  if (code >= 40 && code <= 47) return { bg: code - 40 }
  if (code >= 90 && code <= 97) return { fg: code - 82 }
  if (code >= 100 && code <= 107) return { bg: code - 92 }
  return {}
}

/** The nearest of the sixteen colors for one of the 256, or of 24 bits. */
function extended(codes: readonly number[]): { colour: number | null; taken: number } {
  const [kind, first = 0, green = 0, blue = 0] = codes
  if (kind === 2) return { colour: nearest(first, green, blue), taken: 4 }
  if (kind !== 5) return { colour: null, taken: 0 }
  if (first < 16) return { colour: first, taken: 2 }
  if (first > 231) return { colour: nearest((first - 232) * 10 + 8, (first - 232) * 10 + 8, (first - 232) * 10 + 8), taken: 2 }
  const level = (part: number) => (part === 0 ? 0 : part * 40 + 55)
  const place = first - 16
  return { colour: nearest(level(Math.floor(place / 36)), level(Math.floor(place / 6) % 6), level(place % 6)), taken: 2 }
}

function nearest(red: number, green: number, blue: number): number {
  const isBright = Math.max(red, green, blue) > 190
  const least = Math.max(red, green, blue) / 2
  const base = Number(red > least) + 2 * Number(green > least) + 4 * Number(blue > least)
  if (Math.max(red, green, blue) < 50) return 0
  if (base === 7) return isBright ? 15 : 8
  return isBright ? base + 8 : base
}
