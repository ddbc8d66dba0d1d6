/**
 * Compares two versions with different bases, after a rebase for example: the earlier one is carried to the base of the later one, so that
 * changes of the target branch are on both sides and don't show.
 */
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { transplantedCommit } from '../../../git/write/transplant.ts'

export type Interdiff =
  /** The commit to compare the later version with, and whether nothing but the base differs. */
  | { kind: 'clean'; from: string; isSame: boolean }
  /** The earlier version conflicts with what the target branch brought, or one of them is too large. */
  | { kind: 'unclear' }

type Ends = Pick<MergeRequestVersion, 'base_oid' | 'head_oid' | 'state'>

/** On a full disk, too, people must be able to read. */
const withoutAnswer: ReadonlySet<string> = new Set(['unprocessable', 'timed_out', 'storage_full'])

/** Null if both have the same base. Otherwise at most the processes of one merge, within the limits of merges. */
export async function interdiffOf(repo: Repo, earlier: Ends, later: Ends): Promise<Interdiff | null> {
  if (earlier.base_oid === later.base_oid) return null
  if (earlier.base_oid === null || later.base_oid === null) return { kind: 'unclear' }
  // Listed in part, it could not be shown whole anyway.
  if (earlier.state === 'overflow' || later.state === 'overflow') return { kind: 'unclear' }
  try {
    const from = await transplantedCommit(repo, { from: earlier.base_oid, to: earlier.head_oid, onto: later.base_oid })
    if (from === null) return { kind: 'unclear' }
    const [carried, shown] = [await readCommit(repo, from), await readCommit(repo, later.head_oid)]
    return { kind: 'clean', from, isSame: carried.tree === shown.tree }
  } catch (error) {
    if (error instanceof Failure && withoutAnswer.has(error.code)) return { kind: 'unclear' }
    throw error
  }
}
