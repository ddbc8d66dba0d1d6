/** Background work: removes the projects and groups whose days to be restored have passed. */
import { now } from '../../../db/instants.ts'
import { job } from '../../../queue/queue.ts'
import { removeDue } from './scheduled-deletions.service.ts'

export const removeDueJob = job<object>('spaces.remove_due', {
  every_ms: 3_600_000,
  at_start: true,
  lane: 'slow',
  handle: (app, _, stopping) => removeDue(app, now(), stopping),
})
