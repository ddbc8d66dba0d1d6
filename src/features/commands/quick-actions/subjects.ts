/** Rules of quick actions that differ between issues and merge requests. */
import type { LocatedProject } from '../../../access/find.ts'
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { canManageMergeRequests, canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import { readersOfMergeRequests } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableRows } from '../../../db/tables.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { assignableAmong } from '../../planning/issues/issues.ts'

/** Facts about git and protected branches, as far as they were requested. */
export interface Known {
  /** The named target branches that exist in the project. */
  branches: ReadonlySet<string>
  /** Whether the actor may merge it. */
  mayMerge: boolean
  /** Whether the actor may push to its source branch. */
  mayRebase: boolean
  /** Whether the actor may reopen it: the current commits of its source branch become visible then. */
  mayReopen: boolean
}

export const nothingKnown: Known = { branches: new Set(), mayMerge: false, mayRebase: false, mayReopen: false }

/** Methods may only be called with rows of their own kind: `subjectKindOf(on)` finds it. */
interface SubjectKind<N extends IssuableName = IssuableName> {
  mayEdit(actor: Actor, row: NoteableRows[N], assignees: number[]): boolean
  /** Whether they may manage it: its labels, milestone, people. */
  mayPlan(actor: Actor): boolean
  mayReopen(row: NoteableRows[N], known: Known): boolean
  /** The named users who can be assigned. */
  assignable(db: Db, project: LocatedProject, row: NoteableRows[N] | null, userIds: number[]): Promise<number[]>
  /** Tables of other participants besides author and assignees. */
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
