/** Who last changed each line of a file. */
import { command } from './command.ts'
import { remembered } from './memory.ts'
import { type Repo, run } from './repository.ts'

/** Lines that follow each other and came with the same commit. */
export interface Blamed {
  commit: string
  /** How many lines. */
  count: number
}

const deadline_ms = 30_000

/**
 * From the first line of the file at `path` to its last: one process, unless it is remembered. Throws 413 when git has more
 * to tell than can be held.
 */
export function blame(repo: Repo, commit: string, path: string): Promise<Blamed[]> {
  return remembered(
    repo.git.known,
    `${repo.dir} blame ${commit} ${path}`,
    async () =>
      parseBlame(
        (await repo.git.costly.take(() => run(repo, command`blame --incremental ${commit} -- ${path}`, { deadline_ms }))).toString(
          'latin1',
        ),
      ),
    (stretches) => 120 * stretches.length,
  )
}

/**
 * Of `blame --incremental`: `<commit> <line there> <line here> <count>`, in any order, each followed by lines that begin
 * with a word.
 */
export function parseBlame(output: string): Blamed[] {
  const found: Array<Blamed & { line: number }> = []
  for (const [, commit = '', line, count] of output.matchAll(/^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/gm)) {
    found.push({ commit, line: Number(line), count: Number(count) })
  }
  const stretches: Blamed[] = []
  for (const { commit, count } of found.sort((a, b) => a.line - b.line)) {
    const last = stretches.at(-1)
    if (last?.commit === commit) last.count += count
    else stretches.push({ commit, count })
  }
  return stretches
}

/** The lines of a text without what ends them; a last one that isn't ended counts. */
export function linesOf(data: Buffer): string[] {
  if (data.length === 0) return []
  const text = data.toString('utf8')
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}
