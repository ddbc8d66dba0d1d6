/** Replaces the feed token of a user. */
import { newFeedToken } from '../../../access/feed-tokens.ts'
import type { App } from '../../../app.ts'
import { setFeedToken } from './users.queries.ts'

/** The former token is invalid from now on. Returns the new token. */
export async function resetFeedToken(app: App, user: { id: number }): Promise<string> {
  const token = newFeedToken()
  await setFeedToken(app.db, user.id, token)
  return token
}
