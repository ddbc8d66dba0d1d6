/** Authenticates requests for feeds by the token in the URL. */
import type { FastifyRequest } from 'fastify'
import { userByFeedToken } from '../../access/feed-tokens.ts'
import type { FeedReader } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import type { Parameters } from '../../http/parameters/parameters.ts'

/** Null without a token, or with an invalid one: then a session counts, if there is one. */
export async function principalByFeedToken(app: App, request: FastifyRequest): Promise<FeedReader | null> {
  const { feed_token, rss_token } = request.query as Parameters
  const token = feed_token ?? rss_token
  const user = typeof token === 'string' ? await userByFeedToken(app.db, token) : null
  return user && { kind: 'feed', user }
}
