/** The names of all files that differ between two commits. */
import { emptyTree } from '../objects/object-id.ts'
import { withQuarantine } from '../objects/quarantine.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

/**
 * A renamed file counts under both names. One process. Throws as `requireListableChange` does.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function changedPathNames(repo: Repo, from: string | null, to: string, quarantine = ''): Promise<string[]> {
  // Git itself has no list of what is in quarantine, so its own limits apply there.
  if (quarantine === '') await requireListableChange(repo, from, to)
  const args = command`diff-tree -r -z --name-only --no-renames --no-commit-id ${from ?? emptyTree} ${to}`
  const output = await runCostly(repo, args, { env: withQuarantine(repo, quarantine) })
  return output
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '')
}
