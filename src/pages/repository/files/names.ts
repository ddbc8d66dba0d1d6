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
