/** Changes of some paths between two trees, renames included. */
import { emptyTree } from '../objects/object-id.ts'
import { pathParts } from '../objects/paths.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { gitFailure } from '../process/git-failure.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { type Repo, startIn } from '../repository/repository.ts'
import type { Side } from './hunks.ts'

export interface PathChange {
  old_path: string
  new_path: string
  old_mode: string
  new_mode: string
  /** Zeros if there was no file. */
  old_oid: string
  new_oid: string
  /** `A` added, `D` deleted, `M` modified, `R` renamed, `T` of another type. */
  status: string
}

const deadline_ms = 30_000
/** Limit of the paths on one command line; the other arguments are short. */
const maxArguments_bytes = 100_000

/**
 * The changes of the files with these paths on one side, keyed by path; unchanged files are absent. One process looks at these paths only.
 * If a path exists on that side only, another finds what the file was renamed to or from. With `from` null, all files of `to` count as
 * added. Throws as `requireListableChange` does.
 */
export async function changesOfPaths(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
  side: Side,
  paths: string[],
): Promise<Map<string, PathChange>> {
  // Git would reject a path that can't be in a tree as an error of the caller.
  const wanted = new Set(paths.filter((path) => pathParts(path)?.join('/') === path && path !== ''))
  if (wanted.size === 0 || from === to) return new Map()
  const limits = [...wanted]
  const isShort = limits.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0) < maxArguments_bytes
  const base = from ?? emptyTree
  const canLimit = isShort && !limits.some((path) => path.includes('\ufffd'))
  const found = canLimit ? await list(repo, [base, to, '--', ...limits], side, wanted, []) : null
  const gone = side === 'old' ? 'D' : 'A'
  const lost = found ? [...found.values()].filter(({ status }) => status === gone) : []
  if (found && lost.length === 0) return found
  await requireListableChange(repo, from, to)
  const renamed = await list(repo, [base, to], side, found ? new Set(lost.map((change) => change[`${side}_path`])) : wanted, ['-M'])
  return new Map([...(found ?? []), ...renamed])
}

async function list(
  repo: Repo,
  range: string[],
  side: Side,
  wanted: ReadonlySet<string>,
  flags: string[],
): Promise<Map<string, PathChange>> {
  const args = ['--literal-pathspecs', 'diff-tree', '-r', '-z', '--raw', '--no-commit-id', '--full-index', ...flags, ...range]
  return repo.git.costly.run(repo, async () => {
    const child = startIn(repo, args, { deadline_ms })
    child.stdin.end()
    const found = new Map<string, PathChange>()
    // An added file has no old side, even if another path is named there.
    const isThere = ({ status }: PathChange) => status !== (side === 'old' ? 'A' : 'D')
    const take = recordSplitter(
      changesReader((change) => isThere(change) && wanted.has(change[`${side}_path`]) && found.set(change[`${side}_path`], change)),
    )
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) take(chunk)
    const { code, stderr } = await child.finished
    if (code !== 0) throw gitFailure(args, code, stderr)
    return found
  })
}

/** Parses `:100644 100644 <oid> <oid> M`, path, and a second path for a rename. */
function changesReader(onChange: (change: PathChange) => unknown): (record: Buffer) => void {
  let fields: string[] = []
  return (record) => {
    fields.push(record.toString('utf8'))
    const [head = '', old_path = '', new_path = old_path] = fields
    const [old_mode = '', new_mode = '', old_oid = '', new_oid = '', status = ''] = head.slice(1).split(' ')
    if (fields.length < (/^[RC]/.test(status) ? 3 : 2)) return
    fields = []
    onChange({ old_path, new_path, old_mode, new_mode, old_oid, new_oid, status: status.slice(0, 1) })
  }
}
