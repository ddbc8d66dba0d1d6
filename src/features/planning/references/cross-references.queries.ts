/** SQL for notes about mentions. */
import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

/** Where an issue is mentioned: in another one, or in a commit of a project. */
type Source = { source_issue_id: number } | { source_project_id: number; body: string }

/** Which of the issues have a note about it already. */
export async function issuesThatKnow(db: Db, source: Source, issueIds: number[]): Promise<Set<number>> {
  const notes = db.selectFrom('notes').select('issue_id').where('system_action', '=', 'cross_reference').where('issue_id', 'in', issueIds)
  const found =
    'source_issue_id' in source
      ? notes.where('source_issue_id', '=', source.source_issue_id)
      : notes.where('source_project_id', '=', source.source_project_id).where('body', '=', source.body)
  return new Set((await found.execute()).flatMap(({ issue_id }) => issue_id ?? []))
}

interface CrossReference {
  issue_id: number
  project_id: number
  source_issue_id: number | null
  source_project_id: number | null
  body: string
}

export async function insertCrossReferences(
  tx: Tx,
  notes: CrossReference[],
  { author_id, at }: { author_id: number; at: Instant },
): Promise<void> {
  if (notes.length === 0) return
  const rows = notes.map((note) => ({
    ...note,
    author_id,
    discussion_id: randomBytes(20).toString('hex'),
    system: true,
    system_action: 'cross_reference',
    created_at: at,
    updated_at: at,
  }))
  await tx.insertInto('notes').values(rows).execute()
}
