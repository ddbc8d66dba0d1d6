/** Copies the notes of an issue, with their discussions and awards, to its copy in another project. */
import type { Tx } from '../../../db/database.ts'
import type { Issue, Note } from '../../../db/tables.ts'
import { copyAwardsToNotes, insertNotes, notesAfter } from './issue-moves.queries.ts'

/** Notes that are in memory at once: each may have a megabyte. */
const batch = 100

/** `rewrite` changes each text for its new place. */
export async function copyNotes(
  tx: Tx,
  fromId: number,
  to: Pick<Issue, 'id' | 'project_id'>,
  rewrite: (text: string) => string,
): Promise<void> {
  let after = 0
  for (;;) {
    const notes = await notesAfter(tx, fromId, after, batch)
    const last = notes.at(-1)
    if (!last) return
    const ids = await insertNotes(
      tx,
      notes.map((note) => copyOf(note, to, rewrite)),
    )
    await copyAwardsToNotes(tx, new Map(notes.map(({ id }, index) => [id, ids[index] as number])))
    after = last.id
  }
}

function copyOf({ id: _, ...note }: Note, to: Pick<Issue, 'id' | 'project_id'>, rewrite: (text: string) => string) {
  return { ...note, issue_id: to.id, project_id: to.project_id, body: rewrite(note.body) }
}
