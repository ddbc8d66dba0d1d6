/** Obstacles of a merge, in the terms of the API and in words for people. */

/** In the order in which they are reported. */
export const obstacles = [
  'not_open',
  'locked',
  'draft',
  'source_missing',
  'target_missing',
  'no_commits',
  'discussions_not_resolved',
  'not_approved',
  'merge_request_blocked',
  'status_checks_must_pass',
  'ci_must_pass',
  'ci_still_running',
  'unchecked',
  'conflict',
  'need_rebase',
] as const

export type Obstacle = (typeof obstacles)[number]

/** `detailed_merge_status` of the API. */
export type DetailedStatus =
  | 'mergeable'
  | 'not_open'
  | 'locked'
  | 'draft_status'
  | 'broken_status'
  | 'commits_status'
  | 'discussions_not_resolved'
  | 'not_approved'
  | 'merge_request_blocked'
  | 'status_checks_must_pass'
  | 'ci_must_pass'
  | 'ci_still_running'
  | 'unchecked'
  | 'conflict'
  | 'need_rebase'

const statuses: Partial<Record<Obstacle, DetailedStatus>> = {
  draft: 'draft_status',
  source_missing: 'broken_status',
  target_missing: 'broken_status',
  no_commits: 'commits_status',
}

/** The first obstacle in the terms of the API; `mergeable` if there is none. */
export function detailedOf([first]: readonly Obstacle[]): DetailedStatus {
  return first === undefined ? 'mergeable' : (statuses[first] ?? (first as DetailedStatus))
}

/** For people: the obstacle, and how to remove it. */
export const obstacleWords: Record<Obstacle, { what: string; how: string }> = {
  not_open: { what: 'This merge request is not open.', how: 'Reopen it to merge it.' },
  locked: { what: 'This merge request is being merged.', how: 'Reload the page in a moment.' },
  draft: { what: 'This merge request is a draft.', how: 'Mark it as ready when it is finished.' },
  source_missing: { what: 'The source branch does not exist.', how: 'Push it again, or close this merge request.' },
  target_missing: { what: 'The target branch does not exist.', how: 'Choose another target branch.' },
  no_commits: { what: 'The source branch has no commits that the target branch lacks.', how: 'Push commits to the source branch.' },
  discussions_not_resolved: { what: 'Some discussions are not resolved.', how: 'Resolve them.' },
  merge_request_blocked: {
    what: 'Other merge requests must be merged before.',
    how: 'Merge them first, or let this one wait for them no longer.',
  },
  status_checks_must_pass: { what: 'Not all status checks have passed.', how: 'Wait for them, or fix what they found.' },
  not_approved: { what: 'Approvals are missing.', how: 'Ask those who may give them.' },
  ci_must_pass: { what: 'The pipeline of the last commit has not succeeded.', how: 'Fix what failed, and push again or run it again.' },
  ci_still_running: { what: 'The pipeline of the last commit has not ended yet.', how: 'Wait for it, or merge when it succeeds.' },
  unchecked: { what: 'Whether the branches can be merged could not be checked yet.', how: 'Reload the page in a moment.' },
  conflict: { what: 'The source branch conflicts with the target branch.', how: 'Resolve the conflicts, here or in a clone.' },
  need_rebase: { what: 'The target branch has commits that the source branch lacks.', how: 'Rebase the source branch.' },
}
