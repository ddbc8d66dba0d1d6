/** Background work after pushes to merge requests: moves notes on their diffs to where their lines are now. */
import type { Tx } from '../../../db/database.ts'
import type { Note, NoteableRow } from '../../../db/tables.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { positionOf, sameRefs } from '../../review/diff-notes/diff-notes.ts'
import { newestVersion } from '../../review/versions/versions.ts'
import { traceNotes } from './tracing.service.ts'

export const traceNotesJob: Job<{ merge_request_id: number; actor_id: number }> = job('merge_requests.trace_notes', {
  key: ({ merge_request_id }) => `notes of merge request ${merge_request_id}`,
  handle: (app, { merge_request_id, actor_id }, stopping) => traceNotes(app, merge_request_id, actor_id, stopping),
})

/** A note that was validated against a version that is no longer the newest is traced again. */
export async function traceLater(tx: Tx, noteable: NoteableRow, { position, outdated_by, commit_oid, author_id }: Note): Promise<void> {
  if (noteable.kind !== 'merge_request' || position === null || outdated_by !== null || commit_oid !== null) return
  const version = await newestVersion(tx, noteable.row.id)
  if (!version) return
  const refs = { base_sha: version.base_oid, start_sha: version.start_oid, head_sha: version.head_oid }
  const payload = { merge_request_id: noteable.row.id, actor_id: author_id }
  if (!sameRefs(positionOf(position), refs)) await enqueue(tx, traceNotesJob, payload)
}
