/** Names of files on pages, safe to display whatever characters they contain. */
import { plainLine } from '../../../features/repository/highlighting/highlighting.ts'
import { Html } from '../../../html/html.ts'

/** A name or a path: isolated, with invisible characters and direction overrides shown by their code points. */
export function fileName(name: string): Html {
  return new Html(`<bdi>${plainLine(name).replaceAll('\n', '<span class="control" data-code="U+000A"></span>')}</bdi>`)
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/** The path from the root that a symbolic link in a folder leads to; null for what leads out of the repository, and for the root. */
export function pathFrom(folder: string, target: string): string | null {
  if (target.startsWith('/') || target.length > 4_096 || target.includes('\0')) return null
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.length === 0 ? null : parts.join('/')
}
