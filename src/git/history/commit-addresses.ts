/** The email addresses of those who wrote and committed the commits of a range. */
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

/** The addresses in commits that `tip` reaches and `without` doesn't, as they are written, each once. One process, cached. */
export function commitAddresses(repo: Repo, tip: string, without: string): Promise<string[]> {
  return cached(
    repo.git.cache,
    `${repo.dir} addresses ${without} ${tip}`,
    async () => {
      const output = await runCostly(repo, command`log --no-show-signature --format=tformat:%ae%n%ce ${tip} ${[`^${without}`]} --`)
      return [...new Set(lines(output))]
    },
    (addresses) => addresses.reduce((sum, one) => sum + 2 * one.length, 100),
  )
}
