/** The tables of the two kinds of issuables, by which their common code is parametrized. */
import type { IssuableName } from '../../../db/tables.ts'

export const issuableTables = {
  issue: {
    table: 'issues',
    labels: 'issue_labels',
    assignees: 'issue_assignees',
    /** The column that names them in award emoji. */
    award: 'award_emoji.issue_id',
    /** The people involved besides its author. */
    people: ['issue_assignees'],
    mentions: 'issue_mentions',
  },
  merge_request: {
    table: 'merge_requests',
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    award: 'award_emoji.merge_request_id',
    people: ['merge_request_assignees', 'merge_request_reviewers'],
    mentions: 'merge_request_mentions',
  },
} as const satisfies Record<IssuableName, unknown>

export const issueTables = issuableTables.issue
export const mergeRequestTables = issuableTables.merge_request

export type IssuableTables = (typeof issuableTables)[IssuableName]
export type IssuableTable = IssuableTables['table']
export type LabelTable = IssuableTables['labels']
export type AssigneeTable = IssuableTables['assignees']
/** Tables of people involved: merge requests also have reviewers. */
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
