/** The options of a merge, and how one that was asked for happens by itself: kept with the merge request. */
import type { MergeRequest } from '../../../db/tables.ts'

/** In the terms of the API. Without one it is merged when its pipeline succeeds. */
export type Strategy = 'merge_train' | 'add_to_merge_train_when_checks_pass'

export interface MergeParams {
  merge_commit_message?: string | undefined
  squash_commit_message?: string | undefined
  squash?: boolean | undefined
  should_remove_source_branch?: boolean | undefined
  merge_when_pipeline_succeeds?: boolean | undefined
  /** The tip of the source branch that the caller knows. */
  sha?: string | undefined
  /** By default it is merged when its pipeline succeeds. */
  auto_merge_strategy?: Strategy | undefined
  /** Whether it waits in a queue behind the one below it in its stack, and goes to another branch than its own target. */
  is_behind?: boolean | undefined
}

/** The columns of a merge request that waits for its merge, which is of this commit. */
export function waitingMerge(
  { merge_commit_message, squash_commit_message, should_remove_source_branch, auto_merge_strategy, is_behind }: MergeParams,
  sha: string | null,
  merge_user_id: number,
): Pick<MergeRequest, 'merge_when_pipeline_succeeds' | 'merge_user_id' | 'merge_params'> {
  const kept: MergeParams = { merge_commit_message, squash_commit_message, should_remove_source_branch, auto_merge_strategy, is_behind }
  return { merge_when_pipeline_succeeds: true, merge_user_id, merge_params: JSON.stringify({ ...kept, sha }) }
}

/** The columns of one that waits no longer. */
export const noWaitingMerge = { merge_when_pipeline_succeeds: false, merge_user_id: null, merge_params: null } as const

/** The options of the merge that was asked for. */
export function paramsOf({ merge_params }: Pick<MergeRequest, 'merge_params'>): MergeParams {
  return merge_params === null ? {} : (JSON.parse(merge_params) as MergeParams)
}

type Waiting = Pick<MergeRequest, 'merge_when_pipeline_succeeds' | 'merge_params'>

/** Null if nothing was asked for, or it is merged when its pipeline succeeds. */
export function strategyOf(merge_request: Waiting): Strategy | null {
  return merge_request.merge_when_pipeline_succeeds ? (paramsOf(merge_request).auto_merge_strategy ?? null) : null
}

/** Whether it has a place in the queue of its target branch. */
export function isQueued(merge_request: Waiting): boolean {
  return strategyOf(merge_request) === 'merge_train'
}

/** Whether it waits in a queue behind the one below it in its stack. Its branches stay as they are until it is merged or leaves. */
export function isQueuedBehind(merge_request: Waiting): boolean {
  return isQueued(merge_request) && paramsOf(merge_request).is_behind === true
}
