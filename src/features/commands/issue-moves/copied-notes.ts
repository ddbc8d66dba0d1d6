/** Copies the notes of an issue, with their discussions and emoji, to its copy in another project. */
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { copyAwardsToNotes, insertNotes, notesAfter } from './issue-moves.queries.ts'
import { type Route, rewriteTexts } from './rewrite.ts'

/** Notes in memory at once: each may be a megabyte. */
const batch = 100

export async function copyNotes(tx: Tx, fromId: number, to: Pick<Issue, 'id' | 'project_id'>, route: Route): Promise<void> {
  let after = 0
  for (;;) {
    const notes = await notesAfter(tx, fromId, after, batch)
    const last = notes.at(-1)
    if (!last) return
    const bodies = await rewriteTexts(
      tx,
      route,
      notes.map(({ body }) => body),
    )
    const rows = notes.map(({ id: _, ...note }, index) => ({
      ...note,
      issue_id: to.id,
      project_id: to.project_id,
      body: bodies[index] as string,
    }))
    const ids = await insertNotes(tx, rows)
    await copyAwardsToNotes(tx, new Map(notes.map(({ id }, index) => [id, ids[index] as number])))
    after = last.id
  }
}
