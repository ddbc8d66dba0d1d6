/** The patches of a version, read from git on request. */
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { maxListed } from '../../../git/diff/changed-files.ts'
import { type DiffPage, type DiffStyle, diffRange } from '../../../git/diff/diff.ts'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { shownLimits } from './contents.ts'

type Ends = Pick<MergeRequestVersion, 'base_oid' | 'head_oid' | 'state'>

/**
 * One page of its files with their patches, and the number of all files. One process, cached. Throws `unprocessable` if the difference is
 * too large to be listed, and `timed_out`.
 */
export async function diffOfVersion(
  repo: Repo,
  { base_oid, head_oid, state }: Ends,
  page: { limit: number; offset: number },
  style: DiffStyle = {},
): Promise<DiffPage> {
  if (state === 'empty') return { rows: [], total: 0 }
  return diffRange(repo, base_oid, head_oid, page, style)
}

export interface VersionDiff {
  files: FileDiff[]
  /** Whether files or patches are left out because of the total size. */
  overflow: boolean
}

const rawLimits = { files: maxListed, lines: 100_000 }

/**
 * All files of a version within limits: beyond the limit of lines patches are left out (`collapsed`), beyond the limit of files the files.
 * @param isRaw uses the higher limits, for callers who want everything
 */
export async function readVersionDiff(repo: Repo, version: Ends, isRaw: boolean): Promise<VersionDiff> {
  const limits = isRaw ? rawLimits : shownLimits
  const { rows, total } = await diffOfVersion(repo, version, { limit: limits.files, offset: 0 })
  let lines = 0
  const files = rows.map((file) => {
    lines += linesIn(file.patch)
    return lines <= limits.lines || file.patch === '' ? file : { ...file, patch: '', collapsed: true }
  })
  return { files, overflow: total > files.length || files.some(({ collapsed }) => collapsed) }
}

function linesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
