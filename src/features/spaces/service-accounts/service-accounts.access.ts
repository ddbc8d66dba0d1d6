/** Service accounts and their tokens, as paths name them. */
import type { AccessToken } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { columnsOf, type PlaceGranted } from '../../../http/declare/places.ts'
import type { Granted } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { serviceAccountOf } from '../../people/service-accounts/service-accounts.ts'
import { tokenById } from '../access-tokens/access-tokens.ts'

/** The account of the instance in `:user_id`, as `account`. */
export const ofInstance = nested({ user_id: Id }, async (_: Granted, { user_id }, app) => ({
  account: required(await serviceAccountOf(app.db, null, user_id)),
}))

/** The account of the place in `:user_id`, as `account`. */
export const ofPlace = nested({ user_id: Id }, async ({ place }: PlaceGranted, { user_id }, app) => ({
  account: required(await serviceAccountOf(app.db, columnsOf(place), user_id)),
}))

/** The token of the account in `:token_id`, as `accessToken`. */
export const tokenInPath = nested({ token_id: Id }, async ({ account }: { account: User }, { token_id }, app) => ({
  accessToken: await tokenOf(app, account, token_id),
}))

async function tokenOf({ db }: App, { id }: User, token_id: number): Promise<AccessToken> {
  const token = await tokenById(db, token_id, { user_id: id, impersonation: false })
  if (!token) throw notFound('Personal Access Token')
  return token
}

function required(account: User | null): User {
  if (!account) throw notFound('User')
  return account
}
