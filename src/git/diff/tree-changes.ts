/** The paths of files that differ between two commits, without their contents. */
import { requireListableChange } from '../objects/unfolding.ts'
import { gitFailure } from '../process/git-failure.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface PathChange {
  path: string
  /** Id of the new blob; null if the file was deleted or is now a symlink or submodule. */
  oid: string | null
  /** Whether there was no file before. */
  isNew: boolean
}

const deadline_ms = 60_000

/** Calls `visit` with each path. One process. Throws `git_failed` if one of the commits is missing, and as `requireListableChange` does. */
export async function visitChanges(repo: Repo, from: string, to: string, visit: (change: PathChange) => void): Promise<void> {
  await requireListableChange(repo, from, to)
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to]
  await repo.git.costly.run(repo, async () => {
    const child = startIn(repo, args, { deadline_ms })
    child.stdin.end()
    const take = changeReader(visit)
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) take(chunk)
    const { code, stderr } = await child.finished
    if (code !== 0) throw gitFailure(args, code, stderr)
  })
}

/** Parses repeated records of the form `:<old mode> <new mode> <old id> <new id> <status>\0<path>\0`. */
export function changeReader(visit: (change: PathChange) => void): (chunk: Buffer) => void {
  let oid: string | null | undefined
  let isNew = false
  return recordSplitter((record) => {
    const text = record.toString('utf8')
    if (oid !== undefined) {
      visit({ path: text, oid, isNew })
      oid = undefined
      return
    }
    const [, mode = '', , newOid = '', status] = text.slice(1).split(' ')
    isNew = status === 'A'
    oid = mode.startsWith('100') ? newOid : null
  })
}
