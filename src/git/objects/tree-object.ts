/** Reads a tree entry by entry from the form in which git stores it: a folder of 100,000 files needs no more memory than on disk. */
import { type TreeEntry, typeOfMode } from './parse.ts'

export interface Tree {
  readonly length: number
  /** Size in memory. */
  readonly bytes: number
  /** Folders come first, then files, then submodules; each in git's order. */
  entry: (index: number) => TreeEntry
  find: (name: string) => TreeEntry | null
}

const space = 32

/** Wraps a raw tree object, repeated `<mode> <name>\0<oid bytes>`. A truncated last entry is ignored. */
export function treeOf(data: Buffer, oidBytes = 20): Tree {
  const starts = orderedStarts(data, oidBytes)

  const entryAt = (start: number): TreeEntry => {
    const nameStart = data.indexOf(space, start) + 1
    const end = data.indexOf(0, nameStart)
    const mode = data.toString('latin1', start, nameStart - 1).padStart(6, '0')
    return {
      mode,
      type: typeOfMode(mode),
      name: data.toString('utf8', nameStart, end),
      oid: data.toString('hex', end + 1, end + 1 + oidBytes),
    }
  }
  const hasName = (start: number, name: Buffer): boolean => {
    let at = start
    while (data[at] !== space) at += 1
    for (let index = 0; index < name.length; index += 1) if (data[at + 1 + index] !== name[index]) return false
    return data[at + 1 + name.length] === 0
  }
  return {
    length: starts.length,
    bytes: data.length + starts.byteLength + 200,
    entry: (index) => entryAt(starts[index] as number),
    find(name) {
      if (name.includes('\0')) return null
      // A name that is not valid UTF-8 was shown with this character, and is requested with it.
      const shown = name.includes('\ufffd')
      const bytes = Buffer.from(name)
      const start = starts.find((start) => (shown ? entryAt(start).name === name : hasName(start, bytes)))
      return start === undefined ? null : entryAt(start)
    },
  }
}

/** Finds where the entries begin. Works on bytes: calls and strings for each of two million entries would take a second. */
function orderedStarts(data: Buffer, oidBytes: number): Uint32Array {
  const [folders, others, submodules]: [number[], number[], number[]] = [[], [], []]
  const size = data.length
  for (let at = 0; at < size; ) {
    let nameStart = at
    while (nameStart < size && data[nameStart] !== space && data[nameStart] !== 0) nameStart += 1
    if (data[nameStart] !== space) break
    let end = nameStart
    while (end < size && data[end] !== 0) end += 1
    if (end + oidBytes >= size) break
    const type = typeAt(data, at, nameStart)
    if (type === 'blob') others.push(at)
    else if (type === 'tree') folders.push(at)
    else submodules.push(at)
    at = end + 1 + oidBytes
  }
  const ordered = new Uint32Array(folders.length + others.length + submodules.length)
  ordered.set(folders)
  ordered.set(others, folders.length)
  ordered.set(submodules, folders.length + others.length)
  return ordered
}

/** Almost all entries are files, whose modes begin with `10` or `12`. */
function typeAt(data: Buffer, start: number, end: number): TreeEntry['type'] {
  const isFile = data[start] === 0x31 && data[start + 1] !== 0x36
  return isFile ? 'blob' : typeOfMode(data.toString('latin1', start, end).padStart(6, '0'))
}

/** Converts the output of `ls-tree -r -t -z`, repeated `<mode> <type> <oid>\t<path>\0`, to a single tree whose names are paths. */
export function flatTree(output: Buffer): Tree {
  const data = Buffer.allocUnsafe(output.length)
  let size = 0
  let oidBytes = 20
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf(9, at)
    const end = output.indexOf(0, tab)
    if (tab < 0 || end < 0) break
    const [mode = '', , oid = ''] = output.toString('latin1', at, tab).split(' ')
    oidBytes = oid.length / 2
    size += data.write(`${mode} `, size, 'latin1')
    size += output.copy(data, size, tab + 1, end + 1)
    size += data.write(oid, size, 'hex')
    at = end + 1
  }
  return treeOf(Buffer.from(data.subarray(0, size)), oidBytes)
}
