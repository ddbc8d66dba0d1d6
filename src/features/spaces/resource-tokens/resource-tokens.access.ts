/** Access tokens of a project or group, as paths name them. */
import type { AccessToken } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { columnsOf, type Place, type PlaceGranted } from '../../../http/declare/places.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { tokenById } from '../access-tokens/access-tokens.ts'

/** The token of the place in `:token_id`, as `accessToken`. */
export const tokenInPath = nested({ token_id: Id }, async ({ place }: PlaceGranted, { token_id }, app) => ({
  accessToken: await requireToken(app, place, token_id),
}))

/** Throws 404 if it isn't a token of the place. */
export async function requireToken({ db }: App, place: Place, id: number | null): Promise<AccessToken> {
  const token = id === null ? null : await tokenById(db, id, { place: columnsOf(place), impersonation: false })
  if (!token) throw notFound('Access Token')
  return token
}
