/** Proof keys (PKCE, RFC 7636): whoever redeems a code proves that they requested it. */
import { createHash, timingSafeEqual } from 'node:crypto'

export const challengeMethods = ['S256', 'plain'] as const
export type ChallengeMethod = (typeof challengeMethods)[number]

const proof = /^[A-Za-z0-9._~-]{43,128}$/

export function isChallengeMethod(text: string): text is ChallengeMethod {
  return (challengeMethods as readonly string[]).includes(text)
}

export function isChallenge(text: string): boolean {
  return proof.test(text)
}

/** Uses the method that was sent with the challenge; whoever redeems the code can't choose it. */
export function provesChallenge(verifier: string, challenge: string, method: ChallengeMethod): boolean {
  if (!proof.test(verifier)) return false
  const shown = Buffer.from(method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url'))
  const expected = Buffer.from(challenge)
  return shown.length === expected.length && timingSafeEqual(shown, expected)
}
