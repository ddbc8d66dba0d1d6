/** Reads from git which lines of one file changed between two trees: input of line maps and line counts. */
import { emptyTree } from '../objects/object-id.ts'
import { gitFailure } from '../process/git-failure.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'
import { type LineChanges, lineChangesReader } from './line-map.ts'

/** Paths of a file in a diff: both are equal unless the file was renamed. */
export interface FilePair {
  /** The earlier commit; null for the empty tree. */
  from: string | null
  to: string
  old_path: string
  new_path: string
  /** Blob ids, used to compare files whose names are not valid UTF-8. */
  old_oid: string
  new_oid: string
}

const deadline_ms = 30_000
/** More context lines than any file has. */
const whole = 100_000_000

/**
 * The changed ranges of the file; with `counts` also its numbers of lines, for which git writes the whole file. One process, cached. Files
 * that differ only in name or mode have no ranges and no counts.
 */
export function lineChanges(repo: Repo, pair: FilePair, { counts = false } = {}): Promise<LineChanges> {
  const key = JSON.stringify([pair.from, pair.to, pair.old_path, pair.new_path, pair.old_oid, pair.new_oid, counts])
  return cached(
    repo.git.cache,
    `${repo.dir} lines ${key}`,
    () => repo.git.costly.run(repo, () => readLineChanges(repo, pair, counts ? whole : 0)),
    ({ ranges }) => 100 + ranges.length * 40,
  )
}

async function readLineChanges(repo: Repo, pair: FilePair, context: number): Promise<LineChanges> {
  const args = argsOf(pair, ['-p', `-U${context}`, '--no-color', '--no-ext-diff', '--no-textconv'])
  const child = startIn(repo, args, { deadline_ms })
  child.stdin.end()
  const reader = lineChangesReader()
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) reader.take(chunk)
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
  return reader.result()
}

function argsOf({ from, to, old_path, new_path, old_oid, new_oid }: FilePair, flags: string[]): string[] {
  const isNamed = !`${old_path}${new_path}`.includes('\ufffd')
  if (!isNamed) return ['diff', ...flags, old_oid, new_oid]
  const renames = old_path === new_path ? '--no-renames' : '-M'
  const paths = [...new Set([old_path, new_path])]
  return ['--literal-pathspecs', 'diff-tree', '-r', renames, ...flags, from ?? emptyTree, to, '--', ...paths]
}
