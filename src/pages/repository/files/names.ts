/** Names of files on pages: whatever characters they hold, they read as what they are. */
import { plainLine } from '../../../features/repository/highlighting/highlighting.ts'
import { Html } from '../../../html/html.ts'

/** A name or a path: isolated, with invisible characters and overrides of direction shown by their numbers. */
export function fileName(name: string): Html {
  return new Html(`<bdi>${plainLine(name).replaceAll('\n', '<span class="control" data-code="U+000A"></span>')}</bdi>`)
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder a path is in; empty for the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}
