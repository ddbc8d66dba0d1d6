/** The contents of a version of a merge request, read from git once before its rows are written. */
import { Failure } from '../../../failure.ts'
import { type ChangedFile, changedFiles } from '../../../git/diff/changed-files.ts'
import { readChangeIds } from '../../../git/history/change-ids.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** Maximum number of commits listed with a version; further ones are counted. */
export const maxCommits = 10_000
/** A version with more files or more changed lines is `overflow`: it is shown in part. */
export const shownLimits = { files: 1_000, lines: 50_000 }

export type VersionState = 'collected' | 'overflow' | 'empty'

export interface VersionContents {
  /** The merge base; null if the histories are unrelated. */
  base_oid: string | null
  /** The tip of the target branch. */
  start_oid: string
  /** The tip of the source branch. */
  head_oid: string
  state: VersionState
  /** The first `maxListed` of `git/diff/changed-files.ts`, in the order of their patches. */
  files: ChangedFile[]
  file_count: number
  /** Lines of all files. */
  additions: number
  deletions: number
  /** Newest first, at most `maxCommits`. */
  commits: string[]
  /** Change ids, in the order of `commits`. Empty for more than `maxChanges` commits. */
  change_ids: Array<string | null>
  commit_count: number
}

/** Three processes, cached. Both commits must be in the repository. A diff too large to be listed is `overflow` without files. */
export async function readVersionContents(repo: Repo, start_oid: string, head_oid: string): Promise<VersionContents> {
  const [base_oid, commits] = await Promise.all([
    mergeBase(repo, [start_oid, head_oid]),
    commitRange(repo, head_oid, start_oid, maxCommits),
  ])
  const change_ids = await readChangeIds(repo, commits.oids)
  const ends = { base_oid, start_oid, head_oid, commits: commits.oids, change_ids, commit_count: commits.total }
  if (commits.total === 0) return { ...ends, state: 'empty', files: [], file_count: 0, additions: 0, deletions: 0 }
  const changes = await listedChanges(repo, base_oid, head_oid)
  if (!changes) return { ...ends, state: 'overflow', files: [], file_count: shownLimits.files + 1, additions: 0, deletions: 0 }
  const { files, total, additions, deletions } = changes
  const isTooLarge = total > shownLimits.files || additions + deletions > shownLimits.lines
  return { ...ends, state: isTooLarge ? 'overflow' : 'collected', files, file_count: total, additions, deletions }
}

/** Null if git can't list them in time, or there are too many. */
async function listedChanges(repo: Repo, base_oid: string | null, head_oid: string) {
  try {
    return await changedFiles(repo, base_oid, head_oid)
  } catch (error) {
    if (error instanceof Failure && (error.code === 'unprocessable' || error.code === 'timed_out')) return null
    throw error
  }
}

/** The number of files in the format of the API: `12`, or `1000+`. */
export function realSize(file_count: number): string {
  return file_count > shownLimits.files ? `${shownLimits.files}+` : String(file_count)
}
