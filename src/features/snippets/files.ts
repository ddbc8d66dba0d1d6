/** The files of a snippet: what a request makes of them, and what they may be. */
import { badParameter } from '../../failure.ts'
import type { Content } from './snippets.queries.ts'

export const maxFiles = 10
/** Of all files together, in bytes of UTF-8. */
export const maxContent_bytes = 1024 ** 2
export const maxPath_chars = 255

/** One of the `files[]` of a change. */
export interface FileAction {
  action: 'create' | 'update' | 'delete' | 'move'
  file_path?: string | undefined
  previous_path?: string | undefined
  content?: string | undefined
}

/** The files after the actions, one after the other. Throws 400 for an action on a file that isn't there, or one there already. */
export function applyActions(before: readonly Content[], actions: readonly FileAction[]): Content[] {
  let files = [...before]
  for (const sent of actions) files = applyAction(files, sent)
  return files
}

function applyAction(files: Content[], { action, file_path, previous_path, content }: FileAction): Content[] {
  if (action === 'create') {
    const path = file_path || unusedName(files)
    if (files.some((file) => file.path === path)) throw badParameter(`files: ${path} already exists`)
    return [...files, { path, content: content ?? '' }]
  }
  const path = (action === 'delete' ? file_path : previous_path) || file_path || ''
  if (!files.some((file) => file.path === path)) throw badParameter(`files: ${path || 'file_path'} does not exist`)
  if (action === 'delete') return files.filter((file) => file.path !== path)
  const target = file_path || path
  if (target !== path && files.some((file) => file.path === target)) throw badParameter(`files: ${target} already exists`)
  return files.map((file) => (file.path === path ? { path: target, content: content ?? file.content } : file))
}

/** The name of a file that was sent without one. */
export function unusedName(files: readonly Content[]): string {
  for (let number = 1; ; number++) {
    const name = `snippetfile${number}.txt`
    if (!files.some(({ path }) => path === name)) return name
  }
}

/** In bytes of UTF-8. */
export function sizeOf(files: readonly Content[]): number {
  return files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
}

/** Why these can't be the files of a snippet; null where they can. */
export function filesError(files: readonly Content[]): { field: 'files' | 'file_name' | 'content'; error: string } | null {
  if (files.length === 0) return { field: 'files', error: "can't be blank" }
  if (files.length > maxFiles) return { field: 'files', error: `are too many (maximum is ${maxFiles})` }
  for (const { path } of files) {
    if (path.length > maxPath_chars) return { field: 'file_name', error: `is too long (maximum is ${maxPath_chars} characters)` }
    if (!isFilePath(path)) return { field: 'file_name', error: 'is invalid' }
  }
  if (new Set(files.map(({ path }) => path)).size < files.length) return { field: 'files', error: 'have the same name' }
  if (files.some(({ content }) => content.trim() === '')) return { field: 'content', error: "can't be blank" }
  const bytes = sizeOf(files)
  if (bytes > maxContent_bytes) return { field: 'content', error: `is too long (${bytes} bytes). The maximum size is 1 MB.` }
  return null
}

/** Whether it names a file below a folder, whatever the folder: without steps upwards, empty parts and control characters. */
export function isFilePath(path: string): boolean {
  return !/\p{Cc}/u.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
