/** HTML templates: interpolated values are escaped unless they are Html. Texts stay as they are; in pages, `html.ts` translates them. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = Html | string | number | null | false | Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const texts = unindented(strings)
  // Concatenated strings are flattened once, when the page is sent; joining would copy a text into each template around it.
  let text = texts[0] as string
  for (const [index, part] of parts.entries()) text += written(part) + (texts[index + 1] as string)
  return new Html(text)
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** Elements that styles never display inline: white space beside them is invisible. */
const blocks =
  'article|aside|body|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|h[1-6]|head|header|hr|html|li|link|main|meta|nav|ol|' +
  'optgroup|option|p|script|section|summary|table|tbody|td|th|thead|title|tr|ul'
const afterBlock = new RegExp(`(</?(?:${blocks})(?:\\s[^<>]*)?>)\\n[ \\t]+`, 'g')
const beforeBlock = new RegExp(`\\n[ \\t]+(?=</?(?:${blocks})\\b)`, 'g')

/**
 * The texts of a template as they are sent: a line break with its indentation becomes one space, as in HTML. It is removed at the beginning
 * and end of the template, beside block elements, and inside a tag before a value, which brings its own space. Done once for each template
 * in the source.
 */
export function unindented(strings: readonly string[]): readonly string[] {
  const before = known.get(strings)
  if (before !== undefined) return before
  let isInTag = false
  const joined = (text: string) =>
    text.replaceAll(/\n[ \t]+|[<>]/g, (found, at: number) => {
      if (found === '<' || found === '>') {
        isInTag = found === '<'
        return found
      }
      const after = text[at + found.length]
      return isInTag && (after === undefined || after === '>') ? '' : ' '
    })
  const texts = [...strings]
  texts[0] = (texts[0] as string).replace(/^\n\s*/, '')
  texts.push((texts.pop() as string).replace(/\n[ \t]*$/, ''))
  const sent = texts.map((text) => joined(text.replaceAll(afterBlock, '$1').replaceAll(beforeBlock, '')))
  known.set(strings, sent)
  return sent
}

export function written(part: Part): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.reduce<string>((text, one) => text + written(one), '') : escaped(String(part))
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => names[sign] as string)
}
