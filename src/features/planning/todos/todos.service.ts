/** The rules of todos: who gets one, and what completes it. */
import type { LocatedProject } from '../../../access/find.ts'
import { readersOfIssue } from '../../../access/readers.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant, Issue, Note } from '../../../db/tables.ts'
import { addTodosIn } from './todos.queries.ts'

/** Who a text of an issue or of a note on it speaks to. */
export interface Mentions {
  issue: Issue
  project: LocatedProject
  /** The note with the text; null for the description. */
  note: Note | null
  /** Who wrote it. */
  author_id: number
  /** Those named at the start of a line. */
  addressed: number[]
  mentioned: number[]
  at?: Instant
}

/** Todos for those of them who can see the text. Of a text that was changed, give those whom it didn't mention before. */
export async function addMentionTodosIn(tx: Tx, mentions: Mentions): Promise<void> {
  const { issue, project, note, author_id, addressed, mentioned, at } = mentions
  const readers = new Set(await readersOfText(tx, mentions, [...addressed, ...mentioned]))
  const todo = { target: { issue_id: issue.id }, project_id: project.id, author_id, note_id: note?.id ?? null, ...(at && { at }) }
  await addTodosIn(
    tx,
    addressed.filter((id) => readers.has(id)),
    { ...todo, action: 'directly_addressed' },
  )
  await addTodosIn(
    tx,
    mentioned.filter((id) => readers.has(id)),
    { ...todo, action: 'mentioned' },
  )
}

function readersOfText(db: Db, { issue, project, note }: Mentions, userIds: number[]): Promise<number[]> {
  return readersOfIssue(db, project, issue, userIds, { internal: note?.internal ?? false })
}
