/** The patch id of a change between two commits: equal wherever the same lines change, whatever their line numbers. */
import { emptyTree } from '../objects/object-id.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

/** Longer diffs are rejected. */
const maxDiff_bytes = 8 * 1024 * 1024

/**
 * As `git patch-id --stable` gives it; null if nothing changed. Two processes. Throws as `requireListableChange`, `too_large`, and
 * `timed_out`.
 */
export async function patchId(repo: Repo, from: string | null, to: string): Promise<string | null> {
  await requireListableChange(repo, from, to)
  return repo.git.costly.run(repo, async () => {
    const diff = command`diff-tree -p -M --no-color --no-ext-diff --no-textconv ${from ?? emptyTree} ${to}`
    const input = await run(repo, diff, { max_bytes: maxDiff_bytes })
    const output = await run(repo, ['patch-id', '--stable'], { input })
    return output.toString('latin1').split(' ')[0] || null
  })
}
