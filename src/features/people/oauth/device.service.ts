/** Devices without a browser (RFC 8628): they show a code, which the user confirms in a browser, and poll until that is done. */
import { randomBytes, randomInt } from 'node:crypto'
import type { ApplicationScope } from '../../../access/levels.ts'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { OAuthApplication, OAuthDeviceCode, User } from '../../../db/tables.ts'
import { forbidden, invalid } from '../../../failure.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { decide, deleteDeviceCode, insertDeviceCode, lockDeviceCode, setPolled, waitingDevice } from './device.queries.ts'
import { openGrant } from './grants.service.ts'
import { lockGrant } from './oauth.queries.ts'
import { assertHolds, type IssuedToken, invalidGrant, issueToken, requestedScopes } from './tokens.service.ts'

export const deviceCodeLasts_s = 600
export const pollInterval_s = 5

/** Without vowels, so that codes form no words, and without similar characters. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** The codes of a device: its own, and the one that it shows to its user. */
export async function startDevice(app: App, client: OAuthApplication, scope: string | undefined) {
  const scopes = requestedScopes(client, scope)
  const device_code = randomBytes(32).toString('base64url')
  const user_code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  await insertDeviceCode(app.db, {
    digest: digestOf(device_code),
    user_code,
    application_id: client.id,
    scopes: scopes.join(' '),
    expires_at: new Date(Date.now() + deviceCodeLasts_s * 1000).toISOString(),
  })
  return { device_code, user_code: shownCode(user_code) }
}

export function shownCode(user_code: string): string {
  return `${user_code.slice(0, 4)}-${user_code.slice(4)}`
}

/** Accepts the code in lower case, with or without the dash. Null if no device has it. */
export async function findWaitingDevice(db: Db, typed: string) {
  const user_code = typed.toUpperCase().replace(/[^A-Z]/g, '')
  return user_code.length === 8 ? waitingDevice(db, user_code) : null
}

/** Grants or denies the request of the device. Throws 400 if that was already decided. */
export async function decideDevice(app: App, user: User, device: OAuthDeviceCode, isAllowed: boolean): Promise<void> {
  if (user.kind !== 'human') throw forbidden('This is for the accounts of people.')
  await inTransaction(app.db, async (tx) => {
    const { application_id, scopes, digest } = device
    const decision = isAllowed
      ? { grant_id: (await openGrant(tx, { application_id, user_id: user.id, scopes })).id }
      : ({ denied: true } as const)
    if (!(await decide(tx, digest, decision))) throw invalid('The code is not valid any more.')
  })
}

/** The tokens of a device, once; until then the errors of the standard, which tell it to continue polling or to stop. */
export async function tokenForDevice(app: App, client: OAuthApplication, device_code: string): Promise<IssuedToken> {
  const digest = digestOf(device_code)
  const found = await inTransaction(app.db, async (tx): Promise<IssuedToken | string> => {
    const device = await lockDeviceCode(tx, digest)
    if (device?.application_id !== client.id) throw invalidGrant()
    if (device.expires_at <= now()) return 'expired_token'
    if (device.denied) return 'access_denied'
    if (device.grant_id === null) {
      await setPolled(tx, digest)
      return isTooSoon(device) ? 'slow_down' : 'authorization_pending'
    }
    const grant = await lockGrant(tx, device.grant_id)
    if (!grant) throw invalidGrant()
    await assertHolds(tx, grant)
    await deleteDeviceCode(tx, digest)
    return issueToken(tx, grant, device.scopes.split(' ') as ApplicationScope[], { isRefreshable: true })
  })
  if (typeof found !== 'string') return found
  throw oauthFailure(found, sentences[found] ?? found)
}

/** The clock of a client may be slightly faster than that of this server. */
const tolerance_ms = 500

function isTooSoon({ polled_at }: OAuthDeviceCode): boolean {
  return polled_at !== null && Date.now() - Date.parse(polled_at) < pollInterval_s * 1000 - tolerance_ms
}

const sentences: Record<string, string> = {
  expired_token: 'The code has expired. Ask for another one.',
  access_denied: 'The user denied it.',
  slow_down: 'Ask less often.',
  authorization_pending: 'The user has not decided yet.',
}
