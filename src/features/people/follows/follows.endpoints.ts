/** Following users, as today's clients know it. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { anyone, only, signedIn } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import type { Page } from '../../../http/reply/page.ts'
import { UserBrief } from '../users/users.schema.ts'
import { presentUserBrief, seesUsers } from '../users/users.ts'
import { listFollows } from './follows.queries.ts'
import { follow, unfollow } from './follows.service.ts'

const readable = within(
  only(
    anyone(),
    seesUsers(() => notFound('User')),
  ),
  userById,
)

export const follows = [
  endpoint('POST /users/:id/follow', {
    summary: 'Follow a user',
    access: within(signedIn(), userById),
    reply: UserBrief,
    fails: ['not_modified'],
    async handle({ app, user, owner }) {
      await follow(app, user, owner)
      return presentUserBrief(app.config, owner)
    },
  }),
  endpoint('POST /users/:id/unfollow', {
    summary: 'Unfollow a user',
    access: within(signedIn(), userById),
    reply: UserBrief,
    fails: ['not_modified'],
    async handle({ app, user, owner }) {
      await unfollow(app, user, owner)
      return presentUserBrief(app.config, owner)
    },
  }),
  listEndpoint('GET /users/:id/followers', {
    summary: 'List the users who follow a user',
    access: readable,
    scopes: ['read_user'],
    item: UserBrief,
    handle: ({ app, user, owner, page }) => list(app, user, owner, 'followers', page),
  }),
  listEndpoint('GET /users/:id/following', {
    summary: 'List the users whom a user follows',
    access: readable,
    scopes: ['read_user'],
    item: UserBrief,
    handle: ({ app, user, owner, page }) => list(app, user, owner, 'following', page),
  }),
]

/** A private profile shows neither list to others. */
async function list(app: App, viewer: User | null, owner: User, part: 'followers' | 'following', page: Page) {
  if (owner.private_profile && !viewer?.admin && viewer?.id !== owner.id) return { rows: [], total: 0 }
  const { rows, total } = await listFollows(app.db, owner.id, part, page)
  return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
}
