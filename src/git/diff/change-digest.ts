/**
 * A digest of the change between two commits: equal where the same lines change among the same neighbors, whatever their line numbers. Unlike
 * a patch id it counts white space, which is code in some languages, and the contents of binary files.
 */
import { createHash } from 'node:crypto'
import { emptyTree } from '../objects/object-id.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

/** Longer diffs are rejected. */
const maxDiff_bytes = 8 * 1024 * 1024

/** One process. Throws as `requireListableChange`, `too_large`, and `timed_out`. */
export async function changeDigest(repo: Repo, from: string | null, to: string): Promise<string> {
  await requireListableChange(repo, from, to)
  const diff = command`diff-tree -p --full-index --no-renames --no-color --no-ext-diff --no-textconv ${from ?? emptyTree} ${to}`
  return digestOf(await repo.git.costly.run(repo, () => run(repo, diff, { max_bytes: maxDiff_bytes })))
}

const [lineFeed, indexLine, hunkLine, binaryLine] = [0x0a, 'index ', '@@ -', 'Binary files ']

/** Lines of contents begin with a space, `+`, `-` or a backslash, so that none of them is taken for a header. */
export function digestOf(diff: Buffer): string {
  const hash = createHash('sha256')
  let index: Buffer | null = null
  for (let at = 0; at < diff.length; ) {
    const found = diff.indexOf(lineFeed, at)
    const end = found < 0 ? diff.length : found + 1
    const line = diff.subarray(at, end)
    at = end
    const start = line.toString('latin1', 0, binaryLine.length)
    if (start.startsWith(indexLine)) index = line
    else if (start.startsWith(hunkLine)) hash.update(hunkLine)
    else {
      // The ids of blobs differ after a rebase, but of a binary file they are all there is.
      if (start === binaryLine && index) hash.update(index)
      hash.update(line)
    }
  }
  return hash.digest('hex')
}
