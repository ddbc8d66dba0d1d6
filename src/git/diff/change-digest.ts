/**
 * Digests of the change between two commits, one for each file: equal where the same lines change among the same neighbors, whatever their
 * line numbers. Unlike a patch id they count white space, which is code in some languages, and the contents of binary files.
 */
import { createHash } from 'node:crypto'
import { emptyTree } from '../objects/object-id.ts'
import { unquoted } from '../objects/quoted-path.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

/** Longer diffs are rejected. */
const maxDiff_bytes = 8 * 1024 * 1024

/** By path. One process. Throws as `requireListableChange`, `too_large`, and `timed_out`. */
export async function changeDigests(repo: Repo, from: string | null, to: string): Promise<Map<string, string>> {
  await requireListableChange(repo, from, to)
  const diff = command`diff-tree -p --full-index --no-renames --no-color --no-ext-diff --no-textconv ${from ?? emptyTree} ${to}`
  return digestsOf(await repo.git.costly.run(repo, () => run(repo, diff, { max_bytes: maxDiff_bytes })))
}

const [lineFeed, fileLine, indexLine, hunkLine, binaryLine] = [0x0a, 'diff --git ', 'index ', '@@ -', 'Binary files ']

/** Lines of contents begin with a space, `+`, `-` or a backslash, so that none of them is taken for a header. */
export function digestsOf(diff: Buffer): Map<string, string> {
  const digests = new Map<string, string>()
  let hash = createHash('sha256')
  let path: string | null = null
  let index: Buffer | null = null
  const end = () => path !== null && digests.set(path, hash.digest('hex'))
  for (let at = 0; at < diff.length; ) {
    const found = diff.indexOf(lineFeed, at)
    const next = found < 0 ? diff.length : found + 1
    const line = diff.subarray(at, next)
    at = next
    const start = line.toString('latin1', 0, binaryLine.length)
    if (start.startsWith(fileLine)) {
      end()
      ;[hash, path, index] = [createHash('sha256'), pathIn(line), null]
    } else if (start.startsWith(indexLine)) index = line
    else if (start.startsWith(hunkLine)) hash.update(hunkLine)
    else {
      // The ids of blobs differ after a rebase, but of a binary file they are all there is.
      if (start === binaryLine && index) hash.update(index)
      hash.update(line)
    }
  }
  end()
  return digests
}

/** As nothing is renamed, both sides have one name: `diff --git a/name b/name`. */
function pathIn(line: Buffer): string {
  const names = line.toString('latin1', fileLine.length).replace(/\n$/, '')
  return unquoted(names.slice(0, (names.length - 1) / 2)).slice('a/'.length)
}
