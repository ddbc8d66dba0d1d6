/** Background work of tokens that are sent by mail. */
import { now } from '../../../db/instants.ts'
import { job } from '../../../queue/queue.ts'
import { deleteExpiredTokens } from './account-tokens.queries.ts'

/** They count for nothing from the moment they end; here they are deleted. */
export const pruneAccountTokens = job<object>('account_tokens.prune', {
  every_ms: 3_600_000,
  handle: (app) => deleteExpiredTokens(app.db, now()),
})
