/** Whether a merge request can be merged, in the terms of the API, as far as rows can tell: git is not used. */
import type { MergeRequest, Project } from '../../../db/tables.ts'

/** The settings of a target project that lists need. */
export interface TargetSettings extends Pick<Project, 'id' | 'squash_option' | 'only_allow_merge_if_all_discussions_are_resolved'> {
  full_path: string
}

/** In the terms of the API. */
export interface MergeStatus {
  merge_status: 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged' | 'cannot_be_merged_recheck'
  detailed_merge_status: string
}

interface Known {
  merge_request: Pick<MergeRequest, 'state' | 'draft' | 'merge_status'>
  target: TargetSettings
  hasOpenDiscussions: boolean
}

/** The first obstacle; `mergeable` if there is none. */
export function detailedStatusOf({ merge_request, target, hasOpenDiscussions }: Known): string {
  const { state, draft, merge_status } = merge_request
  if (state === 'locked') return 'locked'
  if (state !== 'opened') return 'not_open'
  if (draft) return 'draft_status'
  if (hasOpenDiscussions && target.only_allow_merge_if_all_discussions_are_resolved) return 'discussions_not_resolved'
  if (merge_status === 'unchecked') return 'unchecked'
  return merge_status === 'cannot_be_merged' ? 'conflict' : 'mergeable'
}
