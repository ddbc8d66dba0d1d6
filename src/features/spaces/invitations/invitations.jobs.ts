/** Background work of invitations. */
import { now } from '../../../db/instants.ts'
import { job } from '../../../queue/queue.ts'
import { deleteEndedInvitations } from './invitations.queries.ts'

/** They count for nothing from the moment they end; here they are deleted. */
export const pruneInvitations = job<object>('invitations.prune', {
  every_ms: 3_600_000,
  handle: (app) => deleteEndedInvitations(app.db, now()),
})
