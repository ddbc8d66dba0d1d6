/** OpenID Connect: id tokens and claims for applications that sign users in through this server. */
import { webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { OAuthGrant, User } from '../../../db/tables.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import { groupPathsOf } from './openid.queries.ts'
import { secondsOf } from './revocation.service.ts'
import { signToken } from './signing-keys.service.ts'

/** Short, since a client reads it at once. */
const idTokenLasts_s = 120

/** The claims about a user for an application with the scope `openid`. */
export async function claimsOf({ config, db }: App, user: User) {
  return {
    sub: String(user.id),
    name: user.name,
    nickname: user.username,
    preferred_username: user.username,
    email: user.email,
    email_verified: user.confirmed_at !== null,
    website: user.website_url || undefined,
    profile: webUrl(config, user.username),
    picture: userAvatarUrl(config, user) ?? undefined,
    groups: await groupPathsOf(db, user.id),
  }
}

/** The signed id token for the application that this user authorized. */
export async function idTokenFor(
  app: App,
  { user, client_id, grant }: { user: User; client_id: string; grant: OAuthGrant },
): Promise<string> {
  const issued = Math.floor(Date.now() / 1000)
  return signToken(app, {
    ...(await claimsOf(app, user)),
    iss: app.config.url,
    aud: client_id,
    iat: issued,
    exp: issued + idTokenLasts_s,
    auth_time: secondsOf(user.current_sign_in_at ?? grant.created_at),
    ...(grant.nonce !== null && { nonce: grant.nonce }),
  })
}
