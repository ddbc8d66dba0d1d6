/**
 * Signing in by a passkey alone. The device names the user and has asked them for a PIN or a finger, so it stands for both factors; a passkey that
 * asks for nothing is a second factor and no more.
 */
import { createHash } from 'node:crypto'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { countWrongToken } from '../../../access/passwords/rate-limit.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Passkey, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { recordFailure } from '../sessions/sessions.ts'
import { askForAnyPasskey, hasSigned } from './passkeys.service.ts'
import { passkeyNamed, spendChallenge } from './second-factor.queries.ts'

/** How long the sign-in page stays valid. */
const offerLasts_ms = 3_600_000
const sealedFor = 'passkey sign-in'

export interface PasskeySignIn {
  options: PublicKeyCredentialRequestOptionsJSON
  /** The sealed challenge, which the form sends back: opening the page stores nothing. */
  sealed: string
}

/** The options with which the browser asks for any passkey of this service; null if browsers support none for this URL. */
export async function offerPasskeySignIn(app: App): Promise<PasskeySignIn | null> {
  const options = await askForAnyPasskey(app)
  if (options === null) return null
  const content = { challenge: options.challenge, ends_ms: Date.now() + offerLasts_ms }
  return { options, sealed: app.secrets.seal(JSON.stringify(content), sealedFor) }
}

/** The user of the passkey. Throws 400 for an unknown passkey and a wrong or used signature, and 429 after too many of these. */
export async function userByPasskey(app: App, sent: { offer: string; credential: string }, address: string): Promise<User> {
  const passkey = await passkeyOf(app, sent.credential)
  const user = passkey && (await userById(app.db, passkey.user_id))
  if (passkey && user && (await isRight(app, passkey, sent))) return user
  await countWrongToken(app.db, address)
  if (user) await recordFailure(app, { login: user.username, address, by: 'second_factor' })
  throw invalid('This passkey was not accepted.')
}

async function passkeyOf({ db }: App, credential: string): Promise<Passkey | null> {
  const response = parsed(credential)
  return response === null || typeof response.id !== 'string' ? null : passkeyNamed(db, response.id)
}

async function isRight(app: App, passkey: Passkey, { offer, credential }: { offer: string; credential: string }): Promise<boolean> {
  const challenge = challengeIn(app, offer)
  const response = parsed(credential)
  if (challenge === null || response === null) return false
  // Spent before it is checked, so that only one of two requests with the same signature succeeds.
  const isFirst = await spendChallenge(app.db, digestOf(challenge), new Date(Date.now() + offerLasts_ms).toISOString())
  return isFirst && hasSigned(app, passkey, { response, challenge, isVerified: true })
}

function challengeIn(app: App, offer: string): string | null {
  try {
    const { challenge, ends_ms } = JSON.parse(app.secrets.unseal(offer, sealedFor)) as { challenge: string; ends_ms: number }
    return ends_ms > Date.now() ? challenge : null
  } catch {
    return null
  }
}

function parsed(credential: string): AuthenticationResponseJSON | null {
  try {
    return JSON.parse(credential) as AuthenticationResponseJSON | null
  } catch {
    return null
  }
}

function digestOf(challenge: string): string {
  return createHash('sha256').update(challenge).digest('hex')
}
