/** What a commit changed, file by file. */
import { remembered } from './memory.ts'
import type { Commit } from './parse.ts'
import type { Repo } from './repository.ts'
import { gitFailure } from './run.ts'

export interface FileDiff {
  old_path: string
  new_path: string
  /** Six octal digits; `0` where there was no file. */
  old_mode: string
  new_mode: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
  /** From `--- a/…` on, or `Binary files … differ`; empty when too large to show. */
  patch: string
}

/** A patch above this is left out. */
export const mostPatch_bytes = 1024 * 1024
const mostPage_bytes = 16 * 1024 * 1024
const deadline_ms = 30_000

/**
 * One page of the changes of a commit against its first parent (against nothing for a root), and how many files changed.
 * One process; it is ended as soon as the page is complete.
 */
export function diffCommit(
  repo: Repo,
  commit: Commit,
  page: { limit: number; offset: number },
): Promise<{ rows: FileDiff[]; total: number }> {
  return remembered(
    repo.git.known,
    `${repo.dir} diff ${commit.oid} ${page.limit}+${page.offset}`,
    () => readDiff(repo, commit, page),
    ({ rows }) => rows.reduce((sum, row) => sum + 2 * row.patch.length + 300, 100),
  )
}

async function readDiff(repo: Repo, commit: Commit, page: { limit: number; offset: number }): Promise<{ rows: FileDiff[]; total: number }> {
  const args = [
    'diff-tree',
    '--root',
    '-r',
    '-z',
    '-M',
    '--patch-with-raw',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-commit-id',
    '--full-index',
  ]
  const child = repo.git.start([...args, ...commit.parents.slice(0, 1), commit.oid], { dir: repo.dir, deadline_ms })
  child.stdin.end()
  const reader = diffReader(page)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (reader.take(chunk)) {
      child.kill()
      return reader.result()
    }
  }
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
  return reader.result()
}

interface DiffReader {
  /** Returns true when nothing more is needed. */
  take: (chunk: Buffer) => boolean
  result: () => { rows: FileDiff[]; total: number }
}

/** Reads `diff-tree -z --patch-with-raw`: all raw records, a NUL, then the patches in the same order. */
export function diffReader(page: { limit: number; offset: number }): DiffReader {
  let files: RawChange[] | undefined
  let owners: number[] = []
  let pending: Buffer = Buffer.alloc(0)
  let section = -1
  let held_bytes = 0
  const patches = new Map<number, PatchText>()
  const ownerNow = () => owners[Math.max(section, 0)] ?? owners.length
  const isComplete = (changes: RawChange[]) => changes.length <= page.offset || ownerNow() >= page.offset + page.limit

  const takeLine = (line: Buffer) => {
    if (line.subarray(0, 11).toString('latin1') === 'diff --git ') section += 1
    const owner = ownerNow()
    if (owner < page.offset || owner >= page.offset + page.limit) return
    const patch = patches.get(owner) ?? patchText()
    patches.set(owner, patch)
    if (held_bytes < mostPage_bytes) held_bytes += patch.add(line)
    else patch.drop()
  }

  return {
    take(chunk) {
      pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
      if (!files) {
        const end = endOfRaw(pending)
        if (end < 0) return false
        files = parseRaw(pending.subarray(0, end))
        owners = sectionOwners(files)
        pending = pending.subarray(end + 1)
      }
      for (let newline = pending.indexOf(10); newline >= 0; newline = pending.indexOf(10)) {
        takeLine(pending.subarray(0, newline + 1))
        pending = pending.subarray(newline + 1)
      }
      // A line so long that its patch is dropped anyway need not be held until it ends.
      if (pending.length > mostPatch_bytes) {
        takeLine(pending)
        pending = Buffer.from('\\')
      }
      return isComplete(files)
    },
    result() {
      const changes = files ?? parseRaw(pending)
      const rows = changes
        .slice(page.offset, page.offset + page.limit)
        .map((change, index) => present(change, patches.get(page.offset + index)))
      return { rows, total: changes.length }
    },
  }
}

interface RawChange {
  old_mode: string
  new_mode: string
  status: string
  old_path: string
  new_path: string
}

/** The raw records end with an empty one; without patches they end with the output. */
function endOfRaw(bytes: Buffer): number {
  if (bytes[0] === 0) return 0
  const end = bytes.indexOf('\0\0')
  return end < 0 ? -1 : end + 1
}

/** `:100644 100644 <oid> <oid> M\0path\0`, with a second path for renames and copies. */
export function parseRaw(bytes: Buffer): RawChange[] {
  const fields = bytes.toString('utf8').split('\0')
  const changes: RawChange[] = []
  for (let at = 0; at + 1 < fields.length; ) {
    const [old_mode = '', new_mode = '', , , status = ''] = (fields[at] as string).slice(1).split(' ')
    const old_path = fields[at + 1] as string
    const twoPaths = /^[RC]/.test(status)
    const new_path = twoPaths ? (fields[at + 2] as string) : old_path
    changes.push({ old_mode, new_mode, status, old_path, new_path })
    at += twoPaths ? 3 : 2
  }
  return changes
}

/** Which change each `diff --git` belongs to: a change of type (file to link) is shown as two. */
function sectionOwners(changes: RawChange[]): number[] {
  return changes.flatMap(({ status }, index) => (status === 'T' ? [index, index] : [index]))
}

interface PatchText {
  /** Returns how many bytes it keeps of the line. */
  add: (line: Buffer) => number
  drop: () => void
  text: () => string
}

function patchText(): PatchText {
  let kept: Buffer[] = []
  let size = 0
  let dropped = false
  let inBody = false
  const drop = () => {
    dropped = true
    kept = []
  }
  return {
    add(line) {
      const start = line.subarray(0, 4).toString('latin1')
      if (start === 'diff') inBody = false
      else if (start === '--- ' || start === 'Bina') inBody = true
      if (!inBody || dropped) return 0
      size += line.length
      if (size > mostPatch_bytes) {
        drop()
        return 0
      }
      kept.push(line)
      return line.length
    },
    drop,
    text: () => Buffer.concat(kept).toString('utf8'),
  }
}

function present(change: RawChange, patch: PatchText | undefined): FileDiff {
  const mode = (text: string) => text.replace(/^0+$/, '0')
  return {
    old_path: change.old_path,
    new_path: change.new_path,
    old_mode: mode(change.old_mode),
    new_mode: mode(change.new_mode),
    new_file: change.status.startsWith('A'),
    renamed_file: change.status.startsWith('R'),
    deleted_file: change.status.startsWith('D'),
    patch: patch?.text() ?? '',
  }
}
