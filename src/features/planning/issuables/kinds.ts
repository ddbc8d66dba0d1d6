/** The two kinds of issuables by their tables: by these, what issues and merge requests share is written once. */

export const issueTables = {
  table: 'issues',
  labels: 'issue_labels',
  assignees: 'issue_assignees',
  /** Names them in the emoji that users have awarded. */
  award: 'award_emoji.issue_id',
} as const

export const mergeRequestTables = {
  table: 'merge_requests',
  labels: 'merge_request_labels',
  assignees: 'merge_request_assignees',
  award: 'award_emoji.merge_request_id',
} as const

export type IssuableTables = typeof issueTables | typeof mergeRequestTables
export type IssuableTable = IssuableTables['table']
export type LabelTable = IssuableTables['labels']
export type AssigneeTable = IssuableTables['assignees']
/** Users with a part in them: those of merge requests are more. */
export type PeopleTable = AssigneeTable | 'merge_request_reviewers' | 'approvals'

/** The columns that name the issue or the merge request. */
export const idColumns = {
  issue_labels: 'issue_labels.issue_id',
  issue_assignees: 'issue_assignees.issue_id',
  merge_request_labels: 'merge_request_labels.merge_request_id',
  merge_request_assignees: 'merge_request_assignees.merge_request_id',
  merge_request_reviewers: 'merge_request_reviewers.merge_request_id',
  approvals: 'approvals.merge_request_id',
} as const satisfies Record<LabelTable | PeopleTable, string>
