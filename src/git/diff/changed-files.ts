/** Which files changed between two trees, and by how many lines: the summary of a diff, without its text. */
import { emptyTree } from '../objects/object-id.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { gitFailure } from '../process/git-failure.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface ChangedFile {
  old_path: string
  new_path: string
  /** Six octal digits; zeros if there was no file. */
  old_mode: string
  new_mode: string
  /** Blob ids, or the commit id of a submodule; zeros if there was no file. */
  old_oid: string
  new_oid: string
  /** `A` added, `D` deleted, `M` modified, `R` renamed, `T` of another type. */
  status: string
  /** Lines; null for a binary file. */
  additions: number | null
  deletions: number | null
  /** True if nothing but whitespace changed while whitespace is ignored: git writes no patch for such a file. */
  only_spaces: boolean
}

export interface ChangedFiles {
  /** The first `maxListed`, in the order of their patches. */
  files: ChangedFile[]
  total: number
  additions: number
  deletions: number
}

/** Further files are counted, but not listed. */
export const maxListed = 3_000

const deadline_ms = 30_000

/** One process, cached. With `from` null, all files of `to` count as added. Throws as `requireListableChange` does, and `timed_out`. */
export function changedFiles(repo: Repo, from: string | null, to: string, ignore_space = false): Promise<ChangedFiles> {
  return cached(
    repo.git.cache,
    `${repo.dir} changed ${from} ${to} ${ignore_space}`,
    async () => {
      await requireListableChange(repo, from, to)
      return repo.git.costly.run(repo, () => readChanges(repo, from ?? emptyTree, to, ignore_space))
    },
    ({ files }) => files.reduce((sum, file) => sum + 400 + 2 * (file.old_path.length + file.new_path.length), 200),
  )
}

async function readChanges(repo: Repo, from: string, to: string, ignore_space: boolean): Promise<ChangedFiles> {
  const flags = ['-r', '-z', '-M', '--raw', '--numstat', '--no-ext-diff', '--no-textconv', ...(ignore_space ? ['-w'] : [])]
  const args = ['diff-tree', ...flags, from, to]
  const child = startIn(repo, args, { deadline_ms })
  child.stdin.end()
  const reader = changesReader(ignore_space)
  const take = recordSplitter(reader.take)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) take(chunk)
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
  return reader.result()
}

interface RawRecord extends Pick<ChangedFile, 'old_mode' | 'new_mode' | 'old_oid' | 'new_oid' | 'status'> {
  paths: string[]
}

function rawRecord(text: string): RawRecord {
  const [old_mode = '', new_mode = '', old_oid = '', new_oid = '', status = ''] = text.slice(1).split(' ')
  return { old_mode, new_mode, old_oid, new_oid, status: status.slice(0, 1), paths: [] }
}

/**
 * Reads all records of `--raw` (`:100644 100644 oid oid M`, path, with a second path for a rename), then those of `--numstat`
 * (`1\t2\tpath`, or `1\t2\t` and both paths of a rename) in the same order.
 */
export function changesReader(ignore_space: boolean) {
  const files: ChangedFile[] = []
  let [total, additions, deletions, at] = [0, 0, 0, 0]
  let raw: RawRecord | null = null
  let counted: { numbers: Array<number | null>; paths: string[] } | null = null
  const withPatch = new Set<number>()

  const takePath = (path: string) => {
    if (!raw) return
    raw.paths.push(path)
    const { paths, old_mode, new_mode, old_oid, new_oid, status } = raw
    if (paths.length < (status === 'R' ? 2 : 1)) return
    const [old_path = '', new_path = old_path] = paths
    total += 1
    if (files.length < maxListed) {
      files.push({ old_path, new_path, old_mode, new_mode, old_oid, new_oid, status, additions: 0, deletions: 0, only_spaces: false })
    }
    raw = null
  }
  const count = (path: string, [added = null, deleted = null]: Array<number | null>) => {
    additions += added ?? 0
    deletions += deleted ?? 0
    while (at < files.length && files[at]?.new_path !== path) at += 1
    const file = files[at]
    if (!file) return
    file.additions = added
    file.deletions = deleted
    withPatch.add(at)
    at += 1
  }
  return {
    take(record: Buffer): void {
      const text = record.toString('utf8')
      if (raw) takePath(text)
      else if (counted) {
        counted.paths.push(text)
        if (counted.paths.length === 2) {
          count(text, counted.numbers)
          counted = null
        }
      } else if (text.startsWith(':')) raw = rawRecord(text)
      else takeCount(text)
    },
    result(): ChangedFiles {
      for (const [index, file] of files.entries()) file.only_spaces = ignore_space && !withPatch.has(index)
      return { files, total, additions, deletions }
    },
  }
  function takeCount(text: string): void {
    const [, added = '', deleted = '', path = ''] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(text) ?? []
    if (added === '') return
    const numbers = [added, deleted].map((number) => (number === '-' ? null : Number(number)))
    if (path === '') counted = { numbers, paths: [] }
    else count(path, numbers)
  }
}
