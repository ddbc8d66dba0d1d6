/** Which of some users can see a noteable. */
import type { LocatedProject } from '../../../access/find.ts'
import { readersOfIssue, readersOfMergeRequests } from '../../../access/readers.ts'
import type { Db } from '../../../db/database.ts'
import type { NoteableRow } from './noteables.ts'

/** In the order given: at most three statements for each thousand of them. An internal note on it is seen by reporters alone. */
export function readersOf(
  db: Db,
  noteable: NoteableRow & { project: LocatedProject },
  userIds: number[],
  options: { internal?: boolean } = {},
): Promise<number[]> {
  return noteable.kind === 'issue'
    ? readersOfIssue(db, noteable.project, noteable.row, userIds, options)
    : readersOfMergeRequests(db, noteable.project, userIds, options)
}
