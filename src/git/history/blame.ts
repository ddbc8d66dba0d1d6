/** Blame: the commit that last changed each line of a file. */
import { Failure } from '../../failure.ts'
import { unquoted } from '../objects/quoted-path.ts'
import { command } from '../process/command.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

/** Consecutive lines that were last changed by the same commit. */
export interface Blamed {
  commit: string
  /** Number of lines. */
  count: number
  /** The version of the file before the commit, by the path it had then; null if the commit added the file. */
  before: { commit: string; path: string } | null
}

const deadline_ms = 30_000

/**
 * All lines of the file at `path`, in order. One process, cached. Throws 413 for too much output, 400 for a name that can't be passed to
 * git.
 */
export function blame(repo: Repo, commit: string, path: string): Promise<Blamed[]> {
  const args = command`blame --incremental ${commit} -- ${path}`
  return cached(
    repo.git.cache,
    `${repo.dir} blame ${commit} ${path}`,
    async () => {
      const output = await runCostly(repo, args, { deadline_ms }).catch((error) => throwBlameFailure(error, path))
      return parseBlame(output.toString('latin1'))
    },
    (stretches) => 250 * stretches.length,
  )
}

/** A name that is not valid UTF-8 is decoded with this character, and can't be passed as an argument. */
function throwBlameFailure(error: unknown, path: string): never {
  if (!(error instanceof Failure && error.code === 'git_failed' && path.includes('\ufffd'))) throw error
  throw new Failure('invalid', '400 A file whose name is not in UTF-8 cannot be blamed', { cause: error })
}

/**
 * Parses `blame --incremental`: `<commit> <original line> <final line> <count>` in any order, each followed by header lines that begin with
 * a word. `previous <commit> <path>` is present at the first occurrence of a commit.
 */
export function parseBlame(output: string): Blamed[] {
  const found: Array<{ commit: string; line: number; count: number }> = []
  const previous = new Map<string, Blamed['before']>()
  const lines = output.matchAll(/^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$|^previous ([0-9a-f]{40,64}) (.+)$/gm)
  for (const [, commit, line, count, parent, path] of lines) {
    const last = found.at(-1)
    if (commit !== undefined) found.push({ commit, line: Number(line), count: Number(count) })
    else if (parent !== undefined && path !== undefined && last) previous.set(last.commit, { commit: parent, path: unquoted(path) })
  }
  const stretches: Blamed[] = []
  for (const { commit, count } of found.sort((a, b) => a.line - b.line)) {
    const last = stretches.at(-1)
    if (last?.commit === commit) last.count += count
    else stretches.push({ commit, count, before: previous.get(commit) ?? null })
  }
  return stretches
}

/** Splits a text into lines without their terminators; a last line without a newline counts. */
export function linesOf(data: Buffer): string[] {
  if (data.length === 0) return []
  const text = data.toString('utf8')
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}
