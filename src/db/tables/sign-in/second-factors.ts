/** Second factors, and sign-ins that wait for one. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** The authenticator app of a user, which makes a code of six digits every thirty seconds (RFC 6238). */
export interface TotpFactorTable {
  user_id: number
  /** In base32, sealed by the key of the instance. */
  secret: string
  /** The number of the last step whose code was used: no code works twice. */
  last_counter: Generated<number>
  created_at: Instant
}

/** A code for who has lost their factor. It is deleted when it is used. */
export interface RecoveryCodeTable {
  user_id: number
  /** SHA-256 of the code in hexadecimal. */
  digest: string
}

/** A key on a device of the user (WebAuthn). */
export interface PasskeyTable {
  id: Generated<number>
  user_id: number
  name: string
  /** In base64url, as browsers name it. No secret. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** How often it has signed, as far as it counts: 0 where it doesn't. */
  counter: Generated<number>
  /** How browsers reach the device, separated by spaces. */
  transports: Generated<string>
  created_at: Instant
  last_used_at: Instant | null
}

/** A sign-in after the right password, and before the second factor. It opens nothing. */
export interface PendingSignInTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  return_to: string
  is_remembered: boolean
  /** What a passkey has to sign. It goes with this sign-in, so a signature works once. */
  challenge: string
  expires_at: Instant
}

/** A challenge that a passkey has signed to sign in: it counts once. */
export interface SpentChallengeTable {
  /** SHA-256 in hexadecimal. */
  digest: string
  ends_at: Instant
}

export type TotpFactor = Selectable<TotpFactorTable>
export type Passkey = Selectable<PasskeyTable>
export type PendingSignIn = Selectable<PendingSignInTable>
