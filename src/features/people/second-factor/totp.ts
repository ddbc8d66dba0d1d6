/** Codes of authenticator apps (TOTP, RFC 6238): six digits, another every thirty seconds. */
import { Secret, TOTP } from 'otpauth'

const step_ms = 30_000

/** How many steps the clock of a phone may be off, in either direction. */
const skew = 1

/** A new secret in base32, which can be typed. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The URI that authenticator apps read from a QR code. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  return new TOTP({ issuer, label: account, secret: Secret.fromBase32(secret) }).toString()
}

/** The step of this code; null if it is not a current code. Spaces are ignored, since apps show them. */
export function stepOfCode(secret: string, code: string, at_ms: number): number | null {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const delta = TOTP.validate({ token, secret: Secret.fromBase32(secret), timestamp: at_ms, window: skew })
  return delta === null ? null : Math.floor(at_ms / step_ms) + delta
}
