/**
 * Creates access tokens of projects and groups. Each has a bot user, who is a member only there, so no query and no rule needs to know
 * about such tokens: a bot can see and do what its membership allows. If tokens were actors beside users, every list, event and commit
 * would have to handle an author that is not a user. The rights of a bot don't depend on its creator: otherwise builds would stop when
 * somebody leaves. Revoking a token keeps its bot, so that members still see who made its commits.
 */
import { randomBytes } from 'node:crypto'
import { accessLevels, memberLevels, type Scope } from '../../../access/levels.ts'
import { type AccessToken, mintToken } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { columnsOf, type Place } from '../../../http/declare/places.ts'
import { assertValid } from '../../../validation.ts'
import { insertBot } from '../../people/users/users.ts'
import { asCredential, readScopes, textErrors, type WantedToken } from '../access-tokens/access-tokens.ts'
import { enrol, lockPlace } from '../members/members.ts'

/** A bot can't use `sudo`. */
export const resourceScopes = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'self_rotate',
] as const satisfies readonly Scope[]

/**
 * Creates a token with its bot user. It stays valid if its creator leaves. Throws 400 for scopes that a bot can't have, and for a level
 * that is invalid or above that of the caller.
 */
export async function createResourceToken(
  app: App,
  creator: User,
  place: Place,
  { name, description, scopes, access_level, expires_at }: WantedToken & { access_level: number },
): Promise<{ token: string; row: AccessToken }> {
  const { given, fieldError } = readScopes(scopes, resourceScopes)
  assertValid({ ...textErrors({ name, description }), scopes: fieldError, access_level: levelError(place, access_level) })
  const columns = columnsOf(place)
  const expires_on = expires_at ?? null
  const username = `${place.kind}_${place.row.id}_bot_${randomBytes(16).toString('hex')}`
  return inTransaction(app.db, async (tx) => {
    await lockPlace(tx, columns)
    const bot = await insertBot(tx, app.config, { username, name, external: creator.external })
    await enrol(tx, columns, { user_id: bot.id, access_level, expires_at: expires_on })
    const wanted = { ...columns, user_id: bot.id, name, description: description ?? null, scopes: given, expires_on, access_level }
    const minted = await mintToken(tx, wanted)
    await publish(tx, { type: 'credential_created', ...asCredential(minted.row) })
    return minted
  })
}

/** Only groups have owners as members. */
function levelError({ kind, level }: Place, wanted: number): string | null {
  const known = memberLevels.some((one) => one === wanted && (kind === 'group' || one < accessLevels.owner))
  if (!known) return 'is not included in the list'
  return wanted > level ? 'must not be above your own' : null
}
