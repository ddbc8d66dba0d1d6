/** Background work after pushes to merge requests: notes on their diffs follow their lines. */
import { type Job, job } from '../../../queue/queue.ts'
import { traceNotes } from './tracing.service.ts'

export const traceNotesJob: Job<{ merge_request_id: number; actor_id: number }> = job('merge_requests.trace_notes', {
  key: ({ merge_request_id }) => `notes of merge request ${merge_request_id}`,
  handle: (app, { merge_request_id, actor_id }, stopping) => traceNotes(app, merge_request_id, actor_id, stopping),
})
