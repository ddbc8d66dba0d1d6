/** Diffs of two trees, file by file. */

import { Failure } from '../../failure.ts'
import { emptyTree } from '../objects/object-id.ts'
import type { Commit } from '../objects/parse.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { gitFailure } from '../process/git-failure.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'
import { diffReader, type FileDiff } from './diff-reader.ts'

export interface DiffPage {
  rows: FileDiff[]
  /** Number of files that changed. */
  total: number
}

const deadline_ms = 30_000

/**
 * One page of the changes of a commit against its first parent (against the empty tree for a root commit), and the number of all changed
 * files. One process, killed as soon as the page is complete.
 */
export function diffCommit(repo: Repo, commit: Commit, page: { limit: number; offset: number }): Promise<DiffPage> {
  return diffTrees(repo, commit.parents[0] ?? null, commit.oid, page)
}

/** Diffs any two commits; with `from` null, all files of `to` count as added. */
function diffTrees(repo: Repo, from: string | null, to: string, page: { limit: number; offset: number }): Promise<DiffPage> {
  return cached(
    repo.git.cache,
    `${repo.dir} diff ${from} ${to} ${page.limit}+${page.offset}`,
    async () => {
      const { timedOut, ...whole } = await readDiff(repo, from, to, page, deadline_ms)
      if (timedOut) throw timedOut
      return whole
    },
    ({ rows }) => bytesOfDiff(rows),
  )
}

/** Estimated size in memory. */
export function bytesOfDiff(rows: FileDiff[]): number {
  return rows.reduce((sum, row) => sum + 2 * (row.patch.length + row.old_path.length + row.new_path.length) + 300, 100)
}

/** How a diff is written. */
export interface DiffStyle {
  /** Ignores whitespace. */
  ignore_space?: boolean
  /** Indexes of the files without a patch: those that `changedFiles` marks as `only_spaces`. */
  skipped?: ReadonlySet<number>
  /** Lines of context around each change; 3 by default. */
  context?: number
  /** Limits the diff to these literal paths. */
  paths?: readonly string[]
}

/** As `diffCommit`, between any two commits and with a style. With `from` null, all files of `to` count as added. */
export function diffRange(
  repo: Repo,
  from: string | null,
  to: string,
  page: { limit: number; offset: number },
  style: DiffStyle,
): Promise<DiffPage> {
  const { ignore_space = false, context = 3, paths = [] } = style
  return cached(
    repo.git.cache,
    `${repo.dir} diff ${from} ${to} ${page.limit}+${page.offset} ${ignore_space} ${context} ${JSON.stringify(paths)}`,
    async () => {
      const { timedOut, ...whole } = await readDiff(repo, from, to, page, deadline_ms, style)
      if (timedOut) throw timedOut
      return whole
    },
    ({ rows }) => bytesOfDiff(rows),
  )
}

type PartialPage = DiffPage & { timedOut: Failure | null }

/**
 * As `diffTrees`, not cached. Throws `unprocessable` if too much differs to be listed. At the deadline the part read so far is
 * returned together with the failure.
 */
export async function readDiff(
  repo: Repo,
  from: string | null,
  to: string,
  page: { limit: number; offset: number },
  deadline_ms: number,
  style: DiffStyle = {},
): Promise<PartialPage> {
  await requireListableChange(repo, from, to)
  return repo.git.costly.run(repo, () => runDiff(repo, { from: from ?? emptyTree, to, page, deadline_ms }, style))
}

async function runDiff(
  repo: Repo,
  { from, to, page, deadline_ms }: { from: string; to: string; page: { limit: number; offset: number }; deadline_ms: number },
  { ignore_space = false, skipped, context, paths = [] }: DiffStyle,
): Promise<PartialPage> {
  const flags = '-r -z -M --patch-with-raw --no-color --no-ext-diff --no-textconv --no-commit-id --full-index'.split(' ')
  if (ignore_space) flags.push('-w')
  if (context !== undefined) flags.push(`-U${context}`)
  const limited = paths.length > 0 ? ['--', ...paths] : []
  const args = [...(paths.length > 0 ? ['--literal-pathspecs'] : []), 'diff-tree', ...flags, from, to, ...limited]
  const child = startIn(repo, args, { deadline_ms })
  child.stdin.end()
  const reader = diffReader(page, skipped)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (reader.take(chunk)) {
      child.kill()
      return { ...reader.result(), timedOut: null }
    }
  }
  try {
    const { code, stderr } = await child.finished
    if (code !== 0) throw gitFailure(args, code, stderr)
    return { ...reader.result(), timedOut: null }
  } catch (error) {
    if (error instanceof Failure && error.code === 'timed_out') return { ...reader.result(), timedOut: error }
    throw error
  }
}
