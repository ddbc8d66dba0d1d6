/** Second factors, and sign-ins that wait for one. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** The authenticator app of a user, which shows a code of six digits every thirty seconds (RFC 6238). */
export interface TotpFactorTable {
  user_id: number
  /** In base32, sealed with the key of the instance. */
  secret: string
  /** The counter of the last accepted code: no code works twice. */
  last_counter: Generated<number>
  created_at: Instant
}

/** A code for users who have lost their second factor. It is deleted when it is used. */
export interface RecoveryCodeTable {
  user_id: number
  /** SHA-256 of the code in hexadecimal. */
  digest: string
}

/** A WebAuthn key on a device of the user. */
export interface PasskeyTable {
  id: Generated<number>
  user_id: number
  name: string
  /** In base64url, as browsers send it. Not a secret. */
  credential_id: string
  /** COSE key, in base64url. */
  public_key: string
  /** The signature counter that the device reported; 0 if it doesn't count. */
  counter: Generated<number>
  /** How browsers reach the device, separated by spaces. */
  transports: Generated<string>
  created_at: Instant
  last_used_at: Instant | null
}

/** A sign-in between the correct password and the second factor. It gives no access. */
export interface PendingSignInTable {
  /** SHA-256 of the cookie's value in hexadecimal. */
  digest: string
  user_id: number
  return_to: string
  is_remembered: boolean
  /** The challenge that a passkey must sign. It belongs to this sign-in, so a signature works once. */
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

export interface SecondFactorTables {
  passkeys: PasskeyTable
  pending_sign_ins: PendingSignInTable
  recovery_codes: RecoveryCodeTable
  spent_challenges: SpentChallengeTable
  totp_factors: TotpFactorTable
}
