/** The files of a snippet: applies the changes of a request, and validates the result. */
import { badParameter } from '../../failure.ts'
import { isWellFormed } from '../../git/objects/paths.ts'
import type { Content } from './snippets.queries.ts'

export const maxFiles = 10
/** Limit of all files together, in bytes of UTF-8. */
export const maxContent_bytes = 1024 ** 2
export const maxPath_chars = 255

/** An item of `files[]` in a change. */
export interface FileAction {
  action: 'create' | 'update' | 'delete' | 'move'
  file_path?: string | undefined
  previous_path?: string | undefined
  content?: string | undefined
}

/** The files after applying the actions in order. Throws 400 for an action on a missing file, or one that creates an existing file. */
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

/** A name for a file that was sent without one. */
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

/** Why a snippet can't have these files; null if it can. */
export function filesError(files: readonly Content[]): { field: 'files' | 'file_name' | 'content'; error: string } | null {
  if (files.length === 0) return { field: 'files', error: "can't be blank" }
  if (files.length > maxFiles) return { field: 'files', error: `are too many (maximum is ${maxFiles})` }
  for (const { path } of files) {
    if (path.length > maxPath_chars) return { field: 'file_name', error: `is too long (maximum is ${maxPath_chars} characters)` }
    if (!isFilePath(path)) return { field: 'file_name', error: 'is invalid' }
  }
  if (!files.every(({ content }) => isWellFormed(content))) return { field: 'content', error: 'is not text in Unicode' }
  if (new Set(files.map(({ path }) => path)).size < files.length) return { field: 'files', error: 'have the same name' }
  if (files.some(({ content }) => content.trim() === '')) return { field: 'content', error: "can't be blank" }
  const bytes = sizeOf(files)
  if (bytes > maxContent_bytes) return { field: 'content', error: `is too long (${bytes} bytes). The maximum size is 1 MB.` }
  return null
}

/** Whether it is a path below any folder: without `..`, empty parts and control characters. */
export function isFilePath(path: string): boolean {
  return !/\p{Cc}/u.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
