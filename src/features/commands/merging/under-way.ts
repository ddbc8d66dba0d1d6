/** The data of a running merge, stored with the merge request while it is locked, so that the merge can be completed after a crash. */
import type { MergeRequest } from '../../../db/tables.ts'

export interface UnderWay {
  /** The new tip of the target branch. */
  tip_oid: string
  /** The tip of the source branch that is being merged. */
  head_oid: string
  /** Null for a fast-forward. */
  merge_commit_oid: string | null
  squash_commit_oid: string | null
  /** Issues that the merge closes. */
  closes_issue_ids: number[]
  should_remove_source: boolean
  /** The commit that merges it, where a queue merges others with it: an ancestor of the new tip. */
  own_oid?: string
  /** Whether a queue merges it, in the name of who added it (`merge_user_id`). */
  is_queued?: boolean
  /** For one of a stack that its queue merges into another branch: its own target branch before the merge. */
  stacked_branch?: string | null
}

export function underWayOf({ merge_under_way }: MergeRequest): UnderWay | null {
  return merge_under_way === null ? null : (JSON.parse(merge_under_way) as UnderWay)
}

export function asUnderWay(underWay: UnderWay): string {
  return JSON.stringify(underWay)
}
