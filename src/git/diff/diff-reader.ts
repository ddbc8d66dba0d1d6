/**
 * Parses `diff-tree -z --patch-with-raw` as a stream: all raw records, an empty record, then the patches in the same order. However long
 * the output is, only the requested page is held, and no more of it than its limits allow.
 */
import { maxPatch_bytes, type Patch, patchText } from './patch-text.ts'

export interface FileDiff {
  old_path: string
  new_path: string
  /** Six octal digits; `0` if there was no file. */
  old_mode: string
  new_mode: string
  /** Blob ids; zeros if there was no file. */
  old_oid: string
  new_oid: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
  /** From the first `@@` on, or `Binary files … differ`; empty if left out. */
  patch: string
  /** The patch itself is too large; it is left out of every page. */
  too_large: boolean
  /** The patch is left out because the page is full; a page with fewer files may contain it. */
  collapsed: boolean
}

export interface DiffReader {
  /** Returns true if no more output is needed. */
  take: (chunk: Buffer) => boolean
  result: () => { rows: FileDiff[]; total: number }
  /** Bytes of patches held so far. */
  readonly held_bytes: number
}

/** Limit of all patches of one page together. */
export const maxPage_bytes = 8 * maxPatch_bytes

/** Start of a patch. It can't occur inside one: there every line begins with a sign, and a path with a newline is quoted. */
const beginning = Buffer.from('\ndiff --git ')

/** @param skipped indexes of the changes for which git writes no patch */
export function diffReader(page: { limit: number; offset: number }, skipped?: ReadonlySet<number>): DiffReader {
  const records = recordReader(page)
  const patches = new Map<number, Patch>()
  let held_bytes = 0
  /** Index of the change that the patch being read belongs to. */
  let owner = -1
  let current: Patch | null = null
  /** Bytes that may be the first part of a patch start. Begins with a newline, as if a line had just ended. */
  let carried = Buffer.from('\n')

  /** A change of type (file to link) is shown as two patches. */
  const begin = () => {
    const second = records.isChangeOfType(owner) && current !== null && !current.repeated
    if (second && current) current.repeated = true
    else {
      do owner += 1
      while (skipped?.has(owner))
      current = patchText()
      if (owner >= page.offset && owner < page.offset + page.limit) patches.set(owner, current)
    }
    current?.startSection()
  }
  const add = (bytes: Buffer) => {
    if (patches.has(owner) && current) held_bytes += current.add(bytes, maxPage_bytes - held_bytes)
  }
  const takePatches = (chunk: Buffer) => {
    const bytes = Buffer.concat([carried, chunk])
    let at = 0
    for (let next = bytes.indexOf(beginning); next >= 0; next = bytes.indexOf(beginning, next + 1)) {
      add(bytes.subarray(at, next + 1))
      begin()
      at = next + 1
    }
    const rest = Math.max(at, bytes.length - beginning.length + 1)
    add(bytes.subarray(at, rest))
    carried = Buffer.from(bytes.subarray(rest))
  }

  return {
    take(chunk) {
      const rest = records.take(chunk)
      if (rest) takePatches(rest)
      return records.ended && (records.total <= page.offset || owner >= page.offset + page.limit)
    },
    result() {
      add(carried)
      carried = Buffer.alloc(0)
      const rows = records.rows.map((change, index) => present(change, patches.get(page.offset + index)))
      return { rows, total: records.total }
    },
    get held_bytes() {
      return held_bytes
    },
  }
}

interface RawChange {
  old_mode: string
  new_mode: string
  old_oid: string
  new_oid: string
  /** A letter, followed by a similarity for renames. */
  status: string
  old_path: string
  new_path: string
}

/** Reads `:100644 100644 <oid> <oid> M\0path\0`, with a second path for renames, until an empty record. Keeps only the requested page. */
function recordReader(page: { limit: number; offset: number }) {
  const rows: RawChange[] = []
  const changesOfType = new Set<number>()
  let total = 0
  let ended = false
  let fields: string[] = []
  let pending: Buffer = Buffer.alloc(0)

  const complete = () => {
    const [head = '', old_path = '', new_path = old_path] = fields
    const [old_mode = '', new_mode = '', old_oid = '', new_oid = '', status = ''] = head.slice(1).split(' ')
    if (status === 'T') changesOfType.add(total)
    if (total >= page.offset && rows.length < page.limit) rows.push({ old_mode, new_mode, old_oid, new_oid, status, old_path, new_path })
    total += 1
    fields = []
  }
  return {
    rows,
    isChangeOfType: (index: number) => changesOfType.has(index),
    get total() {
      return total
    },
    get ended() {
      return ended
    },
    /** Returns the bytes after the last record; null while there are more records. */
    take(chunk: Buffer): Buffer | null {
      if (ended) return chunk
      const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
      let at = 0
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
        const field = bytes.toString('utf8', at, end)
        at = end + 1
        if (field === '' && fields.length === 0) {
          ended = true
          return bytes.subarray(at)
        }
        fields.push(field)
        if (fields.length === (/ [RC]\d*$/.test(fields[0] as string) ? 3 : 2)) complete()
      }
      pending = Buffer.from(bytes.subarray(at))
      return null
    },
  }
}

function present({ old_path, new_path, old_oid, new_oid, status, ...modes }: RawChange, patch: Patch | undefined): FileDiff {
  const mode = (text: string) => text.replace(/^0+$/, '0')
  return {
    old_path,
    new_path,
    old_mode: mode(modes.old_mode),
    new_mode: mode(modes.new_mode),
    old_oid,
    new_oid,
    new_file: status.startsWith('A'),
    renamed_file: status.startsWith('R'),
    deleted_file: status.startsWith('D'),
    patch: patch?.text() ?? '',
    too_large: patch?.left === 'too_large',
    collapsed: patch?.left === 'collapsed',
  }
}
