/** The paths that each of several commits changed against its first parent, read by one process. */
import { isObjectId } from '../objects/object-id.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { type Repo, runCostly } from '../repository/repository.ts'

export interface ChangedPaths {
  added: string[]
  modified: string[]
  removed: string[]
}

/** Limit of paths of each kind (added, modified, removed) per commit. */
const maxPaths = 1_000

/** Keyed by commit id. A renamed file counts as one removed and one added file. */
export async function changedPathsOf(repo: Repo, oids: readonly string[]): Promise<Map<string, ChangedPaths>> {
  if (oids.length === 0) return new Map()
  const args = ['diff-tree', '--stdin', '-r', '-z', '--root', '--no-renames', '--name-status', '--diff-merges=first-parent']
  const output = await runCostly(repo, args, { input: `${oids.join('\n')}\n` })
  return readChangedPaths(output)
}

/** Parses `diff-tree --stdin -z --name-status`: an id, then `M\0path\0` for each of its files. */
export function readChangedPaths(output: Buffer): Map<string, ChangedPaths> {
  const changes = new Map<string, ChangedPaths>()
  let current: ChangedPaths | null = null
  let status: string | null = null
  recordSplitter((record) => {
    const text = record.toString('utf8')
    if (status !== null) {
      const paths: string[] | undefined = current?.[status === 'A' ? 'added' : status === 'D' ? 'removed' : 'modified']
      if (paths && paths.length < maxPaths) paths.push(text)
      status = null
    } else if (isObjectId(text)) {
      current = { added: [], modified: [], removed: [] }
      changes.set(text, current)
    } else status = text
  })(output)
  return changes
}
