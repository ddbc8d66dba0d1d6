/** Issues, merge requests and what is on them, for tests: made without regard to the rights of their authors. */
import { findProject, type LocatedProject, type ProjectAccess } from '../../src/access/find.ts'
import type { App } from '../../src/app.ts'
import { inTransaction } from '../../src/db/database.ts'
import type { Issue, MergeRequest, Note, User } from '../../src/db/tables.ts'
import { nullIfMissing } from '../../src/failure.ts'
import { createIssueIn, type NewIssue } from '../../src/features/planning/issues/issues.ts'
import { createNoteIn, type NewNote } from '../../src/features/planning/notes/notes.ts'
import { createMergeRequestIn, type NewMergeRequest } from '../../src/features/review/merge-requests/merge-requests.ts'
import { resolveCommit } from '../../src/git/refs/resolve.ts'

export interface PlanningFactories {
  issue: (project: LocatedProject, author: User, fields?: Partial<NewIssue>) => Promise<Issue>
  /** From `source_branch` of the project, unless another source is given, to `main`. Its commits must be in the project's repository. */
  mergeRequest: (
    project: LocatedProject,
    author: User,
    fields: Partial<NewMergeRequest> & { source_branch: string },
  ) => Promise<MergeRequest>
  note: (project: LocatedProject, issue: Issue, author: User, fields?: Partial<NewNote>) => Promise<Note>
}

let counter = 0

export function planningFactories({ db, git }: App): PlanningFactories {
  const accessTo = async (project: LocatedProject, user: User): Promise<ProjectAccess> =>
    (await findProject(db, String(project.id), user).catch(nullIfMissing)) ?? { project, level: 0 }
  return {
    async issue(project, user, fields) {
      const actor = { user, ...(await accessTo(project, user)) }
      return inTransaction(db, (tx) => createIssueIn(tx, actor, { title: `Issue ${++counter}`, ...fields }))
    },
    async mergeRequest(project, user, { source_project_id = project.id, ...fields }) {
      const head_oid = fields.head_oid ?? (await resolveCommit(git.open(source_project_id), `refs/heads/${fields.source_branch}`))
      if (head_oid === null) throw new Error(`there is no branch ${fields.source_branch}`)
      const title = `Merge request ${++counter}`
      const request = { title, target_branch: 'main', ...fields, head_oid, source_project_id }
      const actor = { user, ...(await accessTo(project, user)) }
      return inTransaction(db, (tx) => createMergeRequestIn(tx, actor, request))
    },
    async note(project, row, author, fields) {
      const noteable = { kind: 'issue', row, ...(await accessTo(project, author)) } as const
      return inTransaction(db, (tx) => createNoteIn(tx, author, noteable, { body: `Note ${++counter}`, ...fields }))
    },
  }
}
