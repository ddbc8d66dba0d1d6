/** Filters that only lists of merge requests have. */
import type { PipelineStatus } from '../../../db/tables.ts'
import type { CommonFilter, CommonOrder, CommonTraits, OrAny } from '../../planning/issuables/issuables.ts'

/** Traits that may be wanted or, under `not`, unwanted. */
export interface MergeRequestTraits extends CommonTraits {
  reviewer_id?: OrAny<number> | undefined
  reviewer_username?: OrAny<string[]> | undefined
  source_branch?: string | undefined
  target_branch?: string | undefined
}

export const mergeRequestOrders = [
  'created_at',
  'label_priority',
  'merged_at',
  'milestone_due',
  'popularity',
  'priority',
  'title',
  'updated_at',
] as const satisfies Array<CommonOrder | 'merged_at'>
export type MergeRequestOrder = (typeof mergeRequestOrders)[number]

/** All conditions must hold. */
export interface MergeRequestFilter extends CommonFilter, MergeRequestTraits {
  scope?: 'created_by_me' | 'assigned_to_me' | 'reviews_for_me' | 'all' | undefined
  not?: MergeRequestTraits | undefined
  /** Whether its title marks it as a draft. */
  draft?: boolean | undefined
  /** Statuses of the newest pipeline for its newest commit; none for those without a pipeline. */
  pipeline?: 'none' | readonly PipelineStatus[] | undefined
  /** Whether anyone has approved it. */
  approved?: boolean | undefined
  /** All of them have approved it. */
  approved_by_ids?: OrAny<number[]> | undefined
  approved_by_usernames?: OrAny<string[]> | undefined
  merge_user_id?: number | undefined
  merge_user_username?: string | undefined
  source_project_id?: number | undefined
  order_by?: MergeRequestOrder | undefined
}
