/** Tree builder: applies changes to a tree in memory, so that they can be validated before they are written. */
import { Failure } from '../../failure.ts'
import type { TreeEntry } from '../objects/parse.ts'
import { openTree } from '../objects/read.ts'
import type { Tree } from '../objects/tree-object.ts'
import type { Repo } from '../repository/repository.ts'
import type { FileChange, FileMode } from './fast-import.ts'

/** A file, a symbolic link or a submodule. */
export interface BuiltFile {
  kind: 'file'
  mode: FileMode
  content: BuiltContent
}

/** An object of the repository, or bytes that are produced when they are written. */
export type BuiltContent = { oid: string } | { bytes: () => Buffer }

interface Folder {
  kind: 'folder'
  /** Null if it is not in the repository yet. */
  oid: string | null
  /** Null until its entries are read. */
  entries: Map<string, Entry> | null
}

type Entry = BuiltFile | Folder

/** Paths are arrays of their parts. Calls must not overlap. */
export interface TreeBuilder {
  /** `blocked`: a file is in the place of a folder of the path. */
  find: (path: string[]) => Promise<BuiltFile | 'folder' | 'blocked' | null>
  /** Call it only if `find` returned a file or null. */
  put: (path: string[], mode: FileMode, content: BuiltContent) => Promise<void>
  /** Call it only if `find` returned a file. A folder is removed with its last file. */
  remove: (path: string[]) => Promise<void>
  /** All changes so far, in the form for `writeCommit`. */
  readonly changes: FileChange[]
}

/** Files and folders held at once, 200 bytes each: a few bytes of a request may name thousands of folders. */
const maxEntries = 500_000

/**
 * Any call throws `too_large` once the folders that were read or created hold too much.
 * @param tree the id of the tree to start from; null for an empty one
 */
export function openTreeBuilder(repo: Repo, tree: string | null): TreeBuilder {
  const root: Folder = { kind: 'folder', oid: tree, entries: null }
  const changes: FileChange[] = []
  let held = 0

  function hold(entries: number): void {
    held += entries
    if (held > maxEntries) throw new Failure('too_large', '413 The changes are spread over too many or too large folders for one commit')
  }
  async function entriesOf(folder: Folder): Promise<Map<string, Entry>> {
    if (folder.entries) return folder.entries
    const listed = folder.oid === null ? null : await openTree(repo, folder.oid)
    hold(listed?.length ?? 0)
    folder.entries = new Map()
    for (let index = 0; index < (listed?.length ?? 0); index += 1) {
      const entry = (listed as Tree).entry(index)
      folder.entries.set(entry.name, asEntry(entry))
    }
    return folder.entries
  }
  /** The entries of each folder on the way to `path`, from the root; shorter if a folder is missing, null if a file is in its place. */
  async function foldersTo(path: string[]): Promise<Array<Map<string, Entry>> | null> {
    const opened = [await entriesOf(root)]
    for (const part of path.slice(0, -1)) {
      const entry = opened.at(-1)?.get(part)
      if (!entry) return opened
      if (entry.kind === 'file') return null
      opened.push(await entriesOf(entry))
    }
    return opened
  }

  return {
    async find(path) {
      const opened = await foldersTo(path)
      if (!opened) return 'blocked'
      const entry = opened.length === path.length ? opened.at(-1)?.get(path.at(-1) as string) : undefined
      return entry?.kind === 'folder' ? 'folder' : (entry ?? null)
    },
    async put(path, mode, content) {
      const opened = (await foldersTo(path)) ?? []
      const missing = path.slice(opened.length - 1, -1)
      hold(missing.length)
      for (const part of missing) {
        const folder = { kind: 'folder' as const, oid: null, entries: new Map<string, Entry>() }
        opened.at(-1)?.set(part, folder)
        opened.push(folder.entries)
      }
      opened.at(-1)?.set(path.at(-1) as string, { kind: 'file', mode, content })
      const at = { path: path.join('/'), mode }
      changes.push('oid' in content ? { kind: 'place', ...at, oid: content.oid } : { kind: 'write', ...at, content: content.bytes })
    },
    async remove(path) {
      const opened = (await foldersTo(path)) ?? []
      opened.at(-1)?.delete(path.at(-1) as string)
      for (let depth = opened.length - 1; depth > 0 && opened[depth]?.size === 0; depth -= 1)
        opened[depth - 1]?.delete(path[depth - 1] as string)
      changes.push({ kind: 'delete', path: path.join('/') })
    },
    changes,
  }
}

function asEntry({ mode, type, oid }: TreeEntry): Entry {
  return type === 'tree' ? { kind: 'folder', oid, entries: null } : { kind: 'file', mode: modeOf(mode), content: { oid } }
}

/** Old repositories have other file modes; git knows two. */
function modeOf(mode: string): FileMode {
  if (mode === '120000' || mode === '160000') return mode
  return Number.parseInt(mode, 8) & 0o100 ? '100755' : '100644'
}
