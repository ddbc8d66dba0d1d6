/** Passkeys (WebAuthn): registered with a name, and used at sign-in. They are bound to the host name in `GITSTEAD_URL`. */
import { isIP } from 'node:net'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Passkey, User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { blankError, lengthError } from '../../../validation.ts'
import { insertPasskey, passkeysOf, usePasskey } from './second-factor.queries.ts'
import { afterAdding, lockForFactor } from './second-factor.service.ts'

/** Maximum per user. Each is sent to the browser at sign-in. */
const maxPasskeys = 20
const maxName = 100

/** Whether browsers support passkeys for this URL: it needs a host name, and HTTPS unless it is this machine. */
export function takesPasskeys({ url }: Config): boolean {
  const { hostname, protocol } = new URL(url)
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
  )
}

function partyOf({ url }: Config): { origin: string; rpID: string } {
  const { origin, hostname } = new URL(url)
  return { origin, rpID: hostname }
}

/** The sealed value of the registration form: our challenge for this user, and when it expires. */
const offerLasts_ms = 3_600_000

function offeredTo({ id }: Pick<User, 'id'>): string {
  return `passkey offered to ${id}`
}

export interface PasskeyOffer {
  options: PublicKeyCredentialCreationOptionsJSON
  sealed: string
}

/** Options for the browser to create a passkey. A device that already has one of the user creates no second one. */
export async function offerPasskey(app: App, user: Pick<User, 'id' | 'username' | 'name'>): Promise<PasskeyOffer> {
  const options = await generateRegistrationOptions({
    rpName: app.config.hostname,
    rpID: partyOf(app.config).rpID,
    userName: user.username,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(`user ${user.id}`),
    excludeCredentials: (await passkeysOf(app.db, user.id)).map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  const content = { challenge: options.challenge, ends_ms: Date.now() + offerLasts_ms }
  return { options, sealed: app.secrets.seal(JSON.stringify(content), offeredTo(user)) }
}

/**
 * Registers a passkey. Returns recovery codes where it is the first factor; null if the codes there are go on. Throws 400 for what
 * no authenticator made for this service and this form.
 */
export async function addPasskey(
  app: App,
  user: Pick<User, 'id'>,
  sent: { offer: string; name: string; credential: string; session?: string | null },
): Promise<string[] | null> {
  const wrongName = blankError(sent.name) ?? lengthError(sent.name, maxName)
  if (wrongName !== null) throw invalid({ passkey_name: [wrongName] })
  const made = await readRegistration(app, user, sent)
  const row = {
    user_id: user.id,
    name: sent.name.trim(),
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    transports: (made.transports ?? []).join(' '),
    created_at: now(),
  }
  try {
    return await inTransaction(app.db, async (tx) => {
      const isFirst = await lockForFactor(tx, user.id)
      if ((await passkeysOf(tx, user.id)).length >= maxPasskeys)
        throw new Failure('limit_reached', `You can have at most ${maxPasskeys} passkeys.`)
      await insertPasskey(tx, row)
      return afterAdding(tx, user.id, isFirst ? { session: sent.session ?? null } : null)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid('This passkey is registered already.', error) : error
  }
}

async function readRegistration(app: App, user: Pick<User, 'id'>, { offer, credential }: { offer: string; credential: string }) {
  const refusal = () => invalid('This passkey was not accepted. Try again.')
  try {
    const { challenge, ends_ms } = JSON.parse(app.secrets.unseal(offer, offeredTo(user))) as { challenge: string; ends_ms: number }
    if (ends_ms <= Date.now()) throw refusal()
    const { origin, rpID } = partyOf(app.config)
    const { registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(credential) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: false,
    })
    if (!registrationInfo) throw refusal()
    return registrationInfo.credential
  } catch (error) {
    throw error instanceof Failure ? error : invalid('This passkey was not accepted. Try again.', error)
  }
}

/** The options with which the browser asks for a passkey of this user; null if the user has none. */
export async function askForPasskey(app: App, user_id: number, challenge: string): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const passkeys = await passkeysOf(app.db, user_id)
  if (passkeys.length === 0 || !takesPasskeys(app.config)) return null
  return generateAuthenticationOptions({
    rpID: partyOf(app.config).rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    allowCredentials: passkeys.map(described),
    userVerification: 'preferred',
  })
}

/** The options with which the browser asks for a passkey that names its user; null if browsers support none for this URL. */
export async function askForAnyPasskey(app: App): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  if (!takesPasskeys(app.config)) return null
  return generateAuthenticationOptions({ rpID: partyOf(app.config).rpID, userVerification: 'required' })
}

/** Whether a passkey of the user has signed this challenge. */
export async function isSignedByPasskey(app: App, user: Pick<User, 'id'>, credential: string, challenge: string): Promise<boolean> {
  try {
    const response = JSON.parse(credential) as AuthenticationResponseJSON
    const passkey = (await passkeysOf(app.db, user.id)).find(({ credential_id }) => credential_id === response.id)
    return passkey !== undefined && (await hasSigned(app, passkey, { response, challenge, isVerified: false }))
  } catch (error) {
    app.log.info({ err: error, user_id: user.id }, 'passkey: not accepted')
    return false
  }
}

interface Signed {
  response: AuthenticationResponseJSON
  challenge: string
  /** Whether the device must have verified its user, by a PIN or a fingerprint. */
  isVerified: boolean
}

/** Whether the passkey has signed this challenge. One whose counter goes back is a copy, and is refused. */
export async function hasSigned(app: App, passkey: Passkey, { response, challenge, isVerified }: Signed): Promise<boolean> {
  const { origin, rpID } = partyOf(app.config)
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
      requireUserVerification: isVerified,
    })
    return verified && (await usePasskey(app.db, passkey, authenticationInfo.newCounter))
  } catch (error) {
    app.log.info({ err: error, user_id: passkey.user_id }, 'passkey: not accepted')
    return false
  }
}

function described({ credential_id, transports }: Passkey): { id: string; transports: string[] } {
  return { id: credential_id, transports: transports.split(' ').filter(Boolean) }
}
