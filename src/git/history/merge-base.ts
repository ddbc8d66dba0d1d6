/** The merge base of two commits. */

import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

/** The best common ancestor of two commits; null when their histories have nothing in common. One process, cached. */
export async function mergeBase(repo: Repo, one: string, other: string): Promise<string | null> {
  if (one === other) return one
  const { oid } = await cached(
    repo.git.cache,
    `${repo.dir} base ${[one, other].sort().join(' ')}`,
    async () => {
      const args = command`merge-base ${one} ${other}`
      // 1 is the answer that there is none.
      const { output, code, stderr } = await repo.git.costly.run(repo, () => captureIn(repo, args, { accept: [1] }))
      if (code === 1 && stderr !== '') throw gitFailure(args, code, stderr)
      return { oid: lines(output)[0] ?? null }
    },
    () => 100,
  )
  return oid
}
