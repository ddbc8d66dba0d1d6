/** Background work of tokens that are sent by mail. */
import { now } from '../../../db/instants.ts'
import { job } from '../../../queue/queue.ts'
import { deleteExpiredTokens } from './account-tokens.queries.ts'

/** Expired tokens are invalid anyway; this deletes them. */
export const pruneAccountTokens = job<object>('account_tokens.prune', {
  every_ms: 3_600_000,
  handle: (app) => deleteExpiredTokens(app.db, now()),
})
