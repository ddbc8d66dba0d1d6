/** The commits that one commit reaches and another doesn't. */
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import { countCommits } from './history.ts'

export interface CommitRange {
  /** Newest first; if there are more than `max`, the newest. */
  oids: string[]
  /** The number of all commits in the range. */
  total: number
}

const maxCounted = 1_000_000

/** Lists the commits that `tip` reaches and `without`, if it is given, doesn't. One process, two if there are more than `max`. Cached. */
export function commitRange(repo: Repo, tip: string, without: string | null, max: number): Promise<CommitRange> {
  return cached(
    repo.git.cache,
    `${repo.dir} range ${without} ${tip} ${max}`,
    async () => {
      const oids = lines(
        await runCostly(repo, command`rev-list --max-count=${max + 1} ${tip} ${without === null ? [] : [`^${without}`]} --`),
      )
      if (oids.length <= max) return { oids, total: oids.length }
      return { oids: oids.slice(0, max), total: await countCommits(repo, tip, without, maxCounted) }
    },
    ({ oids }) => 100 + 60 * oids.length,
  )
}
