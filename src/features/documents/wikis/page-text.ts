/** The text of a page and its front matter. */
import { parse, stringify } from 'yaml'

const maxFrontMatter_chars = 16 * 1024

export type FrontMatter = Record<string, unknown>

interface PageText {
  /** The part before the text, between two lines of hyphens: metadata for programs, except the title. Empty if there is none. */
  front_matter: FrontMatter
  text: string
}

/** Separates the parts of a page. If the first isn't a YAML mapping, all of it is text. */
export function readPage(content: string): PageText {
  const start = /^---[ \t]*\r?\n/.exec(content)
  const whole = { front_matter: {}, text: content }
  if (!start) return whole
  const rest = content.slice(start[0].length - 1, maxFrontMatter_chars)
  const end = /\r?\n---[ \t]*(?:\r?\n|$)/.exec(rest)
  const front_matter = end && mappingOf(rest.slice(0, end.index))
  return end && front_matter ? { front_matter, text: content.slice(start[0].length - 1 + end.index + end[0].length) } : whole
}

/** Null if it isn't a mapping. Aliases are rejected: a few lines could expand to gigabytes. */
function mappingOf(yaml: string): FrontMatter | null {
  try {
    const found: unknown = parse(yaml, { maxAliasCount: 0, schema: 'core', logLevel: 'silent' })
    if (found === null) return {}
    return typeof found === 'object' && !Array.isArray(found) && !(found instanceof Map)
      ? (JSON.parse(JSON.stringify(found)) as FrontMatter)
      : null
  } catch {
    return null
  }
}

const maxTitle_chars = 255

/** The title in the front matter; null if there is none. */
export function titleIn({ title }: FrontMatter): string | null {
  return (typeof title === 'string' || typeof title === 'number') && String(title).trim() !== ''
    ? String(title).trim().slice(0, maxTitle_chars)
    : null
}

/** Sets the title in the front matter, which is created if necessary. */
export function withTitle(content: string, title: string): string {
  const { front_matter, text } = readPage(content)
  return `---\n${stringify({ ...front_matter, title })}---\n${text}`
}
