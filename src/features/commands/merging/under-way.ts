/** What a merge under way leads to: kept with the merge request while it is locked, so that it can be brought to its end after a crash. */
import type { MergeRequest } from '../../../db/tables.ts'

export interface UnderWay {
  /** To which the target branch moves. */
  tip_oid: string
  /** The tip of the source branch that is merged. */
  head_oid: string
  /** Null of a fast-forward. */
  merge_commit_oid: string | null
  squash_commit_oid: string | null
  /** Issues that are closed with it. */
  closes_issue_ids: number[]
  should_remove_source: boolean
}

export function underWayOf({ merge_under_way }: MergeRequest): UnderWay | null {
  return merge_under_way === null ? null : (JSON.parse(merge_under_way) as UnderWay)
}

export function asUnderWay(underWay: UnderWay): string {
  return JSON.stringify(underWay)
}
