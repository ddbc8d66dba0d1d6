/** Markup formats of files, by their extension. */
import type { Markup } from './formats.ts'

/** The extensions of each format; a new wiki page gets the first. */
export const markupEndings = {
  markdown: ['md', 'markdown', 'mkd', 'mkdn', 'mdown'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc', 'asc'],
  org: ['org'],
  textile: ['textile'],
} as const satisfies Record<Markup, readonly string[]>

const formats = Object.keys(markupEndings) as Markup[]
const byEnding = new Map(formats.flatMap((format) => markupEndings[format].map((ending): [string, Markup] => [ending, format])))

/** The format of a file that can be rendered, by extension; null for any other. */
export function markupOf(name: string): Markup | null {
  const at = name.lastIndexOf('.')
  return at < 0 ? null : (byEnding.get(name.slice(at + 1).toLowerCase()) ?? null)
}
