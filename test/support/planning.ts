/** Issues and what is on them, for tests: made without regard to the rights of their authors. */
import type { LocatedProject } from '../../src/access/find.ts'
import { accessLevels } from '../../src/access/levels.ts'
import type { App } from '../../src/app.ts'
import { inTransaction } from '../../src/db/database.ts'
import type { Issue, Note, User } from '../../src/db/tables.ts'
import { createIssueIn, type NewIssue } from '../../src/features/planning/issues/issues.ts'
import { createNoteIn, type NewNote } from '../../src/features/planning/notes/notes.ts'

export interface PlanningFactories {
  issue: (project: LocatedProject, author: User, fields?: Partial<NewIssue>) => Promise<Issue>
  note: (project: LocatedProject, issue: Issue, author: User, fields?: Partial<NewNote>) => Promise<Note>
}

let counter = 0

export function planningFactories({ db }: App): PlanningFactories {
  const level = accessLevels.owner
  return {
    issue: (project, user, fields) =>
      inTransaction(db, (tx) => createIssueIn(tx, { user, project, level }, { title: `Issue ${++counter}`, ...fields })),
    note: (project, row, author, fields) =>
      inTransaction(db, (tx) => createNoteIn(tx, author, { kind: 'issue', row, project, level }, { body: `Note ${++counter}`, ...fields })),
  }
}
