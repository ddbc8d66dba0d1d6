/** Names of wiki pages: the file, the slug in URLs, the title. */
import { isWritablePath, pathParts } from '../../../git/objects/paths.ts'
import { markupEndings as endings, type Markup } from '../../instance/markdown/markdown.ts'

export type PageFormat = Markup

export const pageFormats = Object.keys(endings) as PageFormat[]

const formatOf = new Map(pageFormats.flatMap((format) => endings[format].map((ending) => [ending as string, format] as const)))

/** The folder of attachments, which contains no pages. */
export const uploadsFolder = 'uploads'

export interface PageName {
  /** From the root of the repository, with its extension. */
  path: string
  /** The path without the extension, with hyphens instead of spaces. */
  slug: string
  /** The last part of the slug, with spaces instead of hyphens. */
  title: string
  format: PageFormat
}

/** Null if the file is not a page. */
export function pageNameOf(path: string): PageName | null {
  const [, stem, ending] = /^(.*[^/])\.([a-z]+)$/is.exec(path) ?? []
  const format = formatOf.get(ending?.toLowerCase() ?? '')
  if (stem === undefined || format === undefined || path.startsWith(`${uploadsFolder}/`)) return null
  const slug = slugOf(stem)
  return { path, slug, title: titleOf(slug), format }
}

/** Converts a title or the name in a link to a slug. */
export function slugOf(name: string): string {
  return name.replace(/\s/g, '-')
}

export function titleOf(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replace(/-+/g, ' ')
}

/** The folder of a slug; empty for the root. */
export function folderOf(slug: string): string {
  return slug.slice(0, Math.max(0, slug.lastIndexOf('/')))
}

/** Pages such as `_sidebar` are parts of every page, and don't appear in lists. */
export function isSpecial({ slug }: Pick<PageName, 'slug'>): boolean {
  return slug.slice(slug.lastIndexOf('/') + 1).startsWith('_')
}

/** Removes spaces at the ends of parts, and repeated ones inside. */
export function squished(title: string): string {
  return title
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .join('/')
}

/**
 * The file of a page with this slug, or why there can't be one.
 * @param keptPath its present file, whose extension is kept if the format is the same
 */
export function pathFor(slug: string, format: PageFormat, keptPath?: string): { path: string } | { error: string } {
  const ending = keptPath && pageNameOf(keptPath)?.format === format ? keptPath.slice(keptPath.lastIndexOf('.') + 1) : endings[format][0]
  const path = `${slug}.${ending}`
  const parts = pathParts(slug)
  if (!parts || parts.length === 0 || parts.join('/') !== slug) return { error: 'is invalid' }
  if (parts[0] === uploadsFolder && parts.length > 1) return { error: 'is in the folder of attachments' }
  if (parts.some((part) => Buffer.byteLength(part) > maxPart_bytes))
    return { error: `is too long (maximum is ${maxPart_bytes} bytes for each part)` }
  return isWritablePath(path) ? { path } : { error: 'is invalid' }
}

/** A file name has at most 255 bytes, including the extension. */
const maxPart_bytes = 245
