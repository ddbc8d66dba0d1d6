/** The actions of a commit, each validated against the tree that the previous actions produced. */
import { invalid } from '../../../failure.ts'
import { isWellFormed, isWritablePath, pathParts } from '../../../git/objects/paths.ts'
import type { BuiltFile, TreeBuilder } from '../../../git/write/tree-builder.ts'
import type { Action } from './commit-actions.schema.ts'

interface Paths {
  path: string[]
  /** The former path of the file; equal to `path`, except for a move. */
  from: string[]
}

/** An action with valid paths, split into parts; or a submodule update. */
export type Step = Paths & (Action | { action: 'point'; oid: string; last_commit_id?: undefined })

/** Throws 400 with the error in a path. */
export function stepOf(action: Action): Step {
  const path = writableParts(action.file_path)
  return { ...action, path, from: action.action === 'move' ? writableParts(action.previous_path ?? '') : path }
}

/** Points the submodule at `path` to another commit. Throws 400 with the error in the path. */
export function pointing(path: string, oid: string): Step {
  const parts = writableParts(path)
  if (/^0+$/.test(oid)) throw invalid('commit_sha is the id of no commit')
  return { action: 'point', oid, path: parts, from: parts }
}

function writableParts(path: string): string[] {
  const parts = pathParts(path)
  if (parts?.length === 0) throw invalid('You must provide a file path')
  if (path.split('/').includes('..')) throw invalid('Path cannot include directory traversal')
  if (!parts || !isWritablePath(path)) throw invalid('Path is one that cannot be written')
  return parts
}

/** Throws 400 if the action is impossible in the tree. */
export async function applyStep(draft: TreeBuilder, step: Step): Promise<void> {
  const { path, from } = step
  switch (step.action) {
    case 'create':
      await assertNotTaken(draft, path)
      return draft.put(path, '100644', contentOf(step))
    case 'update': {
      const { mode } = await fileAt(draft, path)
      if (mode === '160000') throw invalid('A submodule has no content that could be changed')
      return draft.put(path, mode, contentOf(step))
    }
    case 'delete':
      await fileAt(draft, path)
      return draft.remove(path)
    case 'move': {
      const file = await fileAt(draft, from)
      const isChanged = step.content !== undefined
      if (isChanged && file.mode === '160000') throw invalid('A submodule has no content that could be changed')
      if (path.join('/') === from.join('/')) throw invalid('A file with this name already exists')
      await draft.remove(from)
      await assertNotTaken(draft, path)
      return draft.put(path, file.mode, isChanged ? contentOf(step) : file.content)
    }
    case 'chmod': {
      const { mode, content } = await fileAt(draft, path)
      if (mode === '120000' || mode === '160000') throw invalid('Only a regular file can be made executable or not')
      if (step.execute_filemode === undefined) throw invalid('You must provide execute_filemode')
      return draft.put(path, step.execute_filemode ? '100755' : '100644', content)
    }
    case 'point':
      return pointSubmodule(draft, path, step.oid)
  }
}

async function pointSubmodule(draft: TreeBuilder, path: string[], oid: string): Promise<void> {
  const found = await draft.find(path)
  if (found === null || typeof found === 'string' || found.mode !== '160000') throw invalid('Invalid submodule path')
  if ('oid' in found.content && found.content.oid === oid) throw invalid(`The submodule ${path.join('/')} is already at ${oid}`)
  return draft.put(path, '160000', { oid })
}

async function fileAt(draft: TreeBuilder, path: string[]): Promise<BuiltFile> {
  const found = await draft.find(path)
  if (found === null || typeof found === 'string') throw invalid("A file with this name doesn't exist")
  return found
}

async function assertNotTaken(draft: TreeBuilder, path: string[]): Promise<void> {
  const found = await draft.find(path)
  if (found === 'folder') throw invalid('A directory with this name already exists')
  if (found === 'blocked') throw invalid('A file with the name of one of its directories already exists')
  if (found !== null) throw invalid('A file with this name already exists')
}

/** Validated immediately, but decoded when it is written. */
function contentOf({ content, encoding }: Action): { bytes: () => Buffer } {
  if (content === undefined) throw invalid('You must provide content')
  if (encoding === 'text') {
    // Programs that read bytes as text send them so, and other bytes would be written.
    if (!isWellFormed(content)) throw invalid('Content is not text in Unicode: send it in base64')
    return { bytes: () => Buffer.from(content) }
  }
  if (!isBase64(content)) throw invalid('Content is not encoded as base64')
  return { bytes: () => Buffer.from(content, 'base64') }
}

/** Line breaks are common; other invalid characters would be dropped silently by the decoder. */
function isBase64(text: string): boolean {
  const digits = text.replace(/[\r\n]+/g, '')
  return digits.length % 4 === 0 && !/[^A-Za-z0-9+/=]|=[^=]|={3}/.test(digits)
}
