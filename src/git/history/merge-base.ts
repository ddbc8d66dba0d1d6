/** The merge base of commits. */

import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

/**
 * The best common ancestor of all these commits; null if their histories have nothing in common. One process, cached.
 * @param commits ids; at least one
 */
export async function mergeBase(repo: Repo, commits: string[]): Promise<string | null> {
  const [one = '', ...others] = [...new Set(commits)].sort()
  if (others.length === 0) return one
  const { oid } = await cached(
    repo.git.cache,
    `${repo.dir} base ${[one, ...others].join(' ')}`,
    async () => {
      // For more than two commits, plain `merge-base` would answer for the first and a hypothetical merge of the others.
      const args = others.length > 1 ? command`merge-base --octopus ${one} ${others}` : command`merge-base ${one} ${others}`
      // Exit code 1 means no merge base.
      const { output, code, stderr } = await repo.git.costly.run(repo, () => captureIn(repo, args, { accept: [1] }))
      if (code === 1 && stderr !== '') throw gitFailure(args, code, stderr)
      return { oid: lines(output)[0] ?? null }
    },
    () => 100,
  )
  return oid
}
