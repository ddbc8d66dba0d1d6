/** SQL for resolving discussions on merge requests. */
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant, Note } from '../../../db/tables.ts'

/** Notes by users in discussions that everyone sees: internal ones don't block a merge, as its author may not see them. */
function resolvableNotes(db: Db, mergeRequestId: number) {
  return db
    .selectFrom('notes')
    .where('merge_request_id', '=', mergeRequestId)
    .where('type', 'is not', null)
    .where('system', '=', false)
    .where('internal', '=', false)
}

/** The number of resolvable notes in its discussions, and of resolved ones. */
export async function countResolved(db: Db, mergeRequestId: number): Promise<{ resolvable: number; resolved: number }> {
  const found = await resolvableNotes(db, mergeRequestId)
    .select(({ fn }) => [fn.countAll<number | string>().as('resolvable'), fn.count<number | string>('resolved_at').as('resolved')])
    .executeTakeFirstOrThrow()
  return { resolvable: Number(found.resolvable), resolved: Number(found.resolved) }
}

export interface Resolution {
  resolved_at: Instant | null
  resolved_by_id: number | null
  resolved_by_push: boolean
}

/** Sets the resolution of the notes of a discussion that don't have it yet: all, or one. Returns whether that is news for all readers. */
export async function setResolution(
  tx: Tx,
  { merge_request_id, discussion_id }: Pick<Note, 'merge_request_id' | 'discussion_id'>,
  resolution: Resolution,
  noteId?: number,
): Promise<boolean> {
  const changed = tx
    .updateTable('notes')
    .set(resolution)
    .where('merge_request_id', '=', merge_request_id)
    .where('discussion_id', '=', discussion_id)
    .where('type', 'is not', null)
    .where('system', '=', false)
    .where('resolved_at', resolution.resolved_at === null ? 'is not' : 'is', null)
    .$if(noteId !== undefined, (query) => query.where('id', '=', noteId as number))
    .returning('internal')
  return (await changed.execute()).some(({ internal }) => !internal)
}
