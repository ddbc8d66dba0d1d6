/** Replaces the feed token of a user. */
import { newFeedToken } from '../../../access/feed-tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { setFeedToken } from './users.queries.ts'

/** The former token is invalid from now on. Returns the new token. */
export async function resetFeedToken(app: App, user: { id: number }): Promise<string> {
  const token = newFeedToken()
  await inTransaction(app.db, async (tx) => {
    await setFeedToken(tx, user.id, token)
    const credential = { kind: 'feed_token', id: null, name: '' } as const
    await publish(tx, { type: 'credential_revoked', of: { user_id: user.id }, credential })
    await publish(tx, { type: 'credential_created', of: { user_id: user.id }, credential })
  })
  return token
}
