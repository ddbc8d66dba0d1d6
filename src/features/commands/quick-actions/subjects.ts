/** What quick actions may do with issues and with merge requests: the rules that differ. */
import type { LocatedProject } from '../../../access/find.ts'
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { canManageMergeRequests, canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import { readersOfMergeRequests } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableRows } from '../../../db/tables.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { assignableAmong } from '../../planning/issues/issues.ts'

/** What depends on git and on protected branches, as far as it was asked for. */
export interface Known {
  /** The branches of the project among those that are named as a target. */
  branches: ReadonlySet<string>
  /** Whether the actor may merge it. */
  mayMerge: boolean
  /** Whether the actor may open it again: what is in its source branch by now is shown then. */
  mayReopen: boolean
}

export const nothingKnown: Known = { branches: new Set(), mayMerge: false, mayReopen: false }

/** Methods are called with rows of their own kind alone: `subjectKindOf(on)` finds it. */
interface SubjectKind<N extends IssuableName = IssuableName> {
  mayEdit(actor: Actor, row: NoteableRows[N], assignees: number[]): boolean
  /** Whether they may plan with it: with its labels, its milestone, its people. */
  mayPlan(actor: Actor): boolean
  mayReopen(row: NoteableRows[N], known: Known): boolean
  /** Those of the users to whom it can be given. */
  assignable(db: Db, project: LocatedProject, row: NoteableRows[N] | null, userIds: number[]): Promise<number[]>
  /** Who has a part in it besides its author and its assignees. */
  tables: { reviewers: 'merge_request_reviewers'; approvers: 'approvals' } | null
}

const kinds: { [N in IssuableName]: SubjectKind<N> } = {
  issue: {
    mayEdit: (actor, row, assignees) => canUpdateIssue(actor, row, assignees, actor.user),
    mayPlan: canManageIssue,
    // A locked issue stays closed.
    mayReopen: ({ discussion_locked }) => !discussion_locked,
    assignable: assignableAmong,
    tables: null,
  },
  merge_request: {
    mayEdit: (actor, row, assignees) => canUpdateMergeRequest(actor, row, assignees, actor.user),
    mayPlan: canManageMergeRequests,
    mayReopen: (_row, known) => known.mayReopen,
    assignable: (db, project, _row, userIds) => readersOfMergeRequests(db, project, userIds),
    tables: { reviewers: 'merge_request_reviewers', approvers: 'approvals' },
  },
}

export function subjectKindOf<N extends IssuableName>({ kind }: { kind: N }): SubjectKind<N> {
  return kinds[kind]
}
