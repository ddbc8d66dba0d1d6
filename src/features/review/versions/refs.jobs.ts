/** Background work on the refs of merge requests. */
import { type Job, job } from '../../../queue/queue.ts'
import { ensureRefs, removeRefs } from './refs.service.ts'

/** Writes the refs of a merge request, in case the process that added a version died before it did. */
export const writeRefsJob: Job<{ merge_request_id: number }> = job('merge_requests.write_refs', {
  key: ({ merge_request_id }) => `refs of merge request ${merge_request_id}`,
  handle: (app, { merge_request_id }) => ensureRefs(app, merge_request_id),
})

export const removeRefsJob: Job<{ project_id: number; iid: number }> = job('merge_requests.remove_refs', {
  handle: (app, { project_id, iid }) => removeRefs(app, project_id, iid),
})
