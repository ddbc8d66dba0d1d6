/** The text of a page and its front matter. */
import { isMap, isScalar, parseDocument, stringify } from 'yaml'
import { readShortYaml } from '../../../ci/yaml/short-yaml.ts'

const maxFrontMatter_chars = 16 * 1024

export type FrontMatter = Record<string, unknown>

interface PageText {
  /** The part before the text, between two lines of hyphens: metadata for programs, except the title. Empty if there is none. */
  front_matter: FrontMatter
  text: string
}

/** Separates the parts of a page. If the first isn't a YAML mapping, all of it is text. */
export function readPage(content: string): PageText {
  const { front_matter, end } = frontMatterIn(content) ?? { front_matter: {}, end: 0 }
  return { front_matter, text: content.slice(end) }
}

interface FoundFrontMatter {
  front_matter: FrontMatter
  /** Without the lines of hyphens around it. */
  yaml: string
  /** Offsets in the content: the YAML starts at `start`, and the text after the front matter at `end`. */
  start: number
  end: number
}

function frontMatterIn(content: string): FoundFrontMatter | null {
  const opening = /^---[ \t]*\r?\n/.exec(content)
  if (!opening) return null
  // With the end of that line, since there may be nothing between the two.
  const rest = content.slice(opening[0].length - 1, maxFrontMatter_chars)
  const closing = /\r?\n---[ \t]*(?:\r?\n|$)/.exec(rest)
  const yaml = closing?.index === 0 ? '' : rest.slice(1, closing?.index)
  const front_matter = closing && mappingOf(yaml)
  if (!front_matter) return null
  return { front_matter, yaml, start: opening[0].length, end: opening[0].length - 1 + closing.index + closing[0].length }
}

/** Null if it isn't a mapping. */
function mappingOf(yaml: string): FrontMatter | null {
  const read = readShortYaml(yaml)
  return 'mapping' in read ? (JSON.parse(JSON.stringify(read.mapping)) as FrontMatter) : null
}

const maxTitle_chars = 255

/** The title in the front matter; null if there is none. */
export function titleIn({ title }: FrontMatter): string | null {
  return (typeof title === 'string' || typeof title === 'number') && String(title).trim() !== ''
    ? String(title).trim().slice(0, maxTitle_chars)
    : null
}

/** Sets the title in the front matter, which is created if necessary. All else stays as it was written. */
export function withTitle(content: string, title: string): string {
  const found = frontMatterIn(content)
  if (!found) return `---\n${stringify({ title })}---\n${content}`
  const { yaml, start, end, front_matter } = found
  const line = /\r?\n/.exec(content)?.[0] ?? '\n'
  const changed = yamlWithTitle(yaml, title, line)
  if (changed !== null) return content.slice(0, start) + changed + content.slice(start + yaml.length)
  return `---\n${stringify({ ...front_matter, title })}---\n${content.slice(end)}`
}

/** Null for a mapping in braces, which has no place for another line. */
function yamlWithTitle(yaml: string, title: string, line: string): string | null {
  const value = stringify(title, { lineWidth: 0, blockQuote: false }).trimEnd()
  const { contents } = parseDocument(yaml, { logLevel: 'silent' })
  if (isMap(contents) && contents.flow) return null
  const items = isMap(contents) ? contents.items : []
  const known = items.find(({ key }) => isScalar(key) && key.value === 'title')
  if (known) {
    if (!isScalar(known.value) || !known.value.range) return null
    const [from, to] = known.value.range
    const space = yaml[from - 1] === ':' ? ' ' : ''
    return yaml.slice(0, from) + space + value + (yaml.slice(from, to).endsWith('\n') ? line : '') + yaml.slice(to)
  }
  const first = items[0]?.key
  const key = isScalar(first) && first.range ? first.range[0] : 0
  const at = yaml.lastIndexOf('\n', key - 1) + 1
  return `${yaml.slice(0, at)}${yaml.slice(at, key)}title: ${value}${line}${yaml.slice(at)}`
}
