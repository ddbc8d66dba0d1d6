/** Background work once a request of a stack was merged: rebases the one above it. */
import { type Job, job } from '../../../queue/queue.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { restack } from './restack.service.ts'

/** Safe to repeat. */
export const restackJob: Job<{ merge_request_id: number; below_id: number }> = job('merge_requests.restack', {
  async handle(app, { merge_request_id, below_id }) {
    const below = await mergeRequestById(app.db, below_id)
    if (below) await restack(app, merge_request_id, below)
  },
})
