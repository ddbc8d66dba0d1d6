/** HTML templates: interpolated values are escaped unless they are Html. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | false | Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // Added up, a text is written out once, when the page is sent; joined, it were copied into each template around it.
  let text = strings[0] as string
  for (const [index, part] of parts.entries()) text += written(part) + (strings[index + 1] as string)
  return new Html(text)
}

function written(part: Part): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.reduce<string>((text, one) => text + written(one), '') : escaped(String(part))
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => names[sign] as string)
}
