/** HTML templates: interpolated values are escaped unless they are Html. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | false | Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + (index < parts.length ? written(parts[index] as Part) : '')).join(''))
}

function written(part: Part): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.map(written).join('') : escaped(String(part))
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => names[sign] as string)
}
