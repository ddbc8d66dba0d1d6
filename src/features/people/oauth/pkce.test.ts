/** Proof keys, by the example of the standard (RFC 7636, appendix B). */
import { expect, test } from 'vitest'
import { isChallenge, provesChallenge } from './pkce.ts'

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

test('a verifier proves its challenge by the announced method alone', () => {
  expect(provesChallenge(verifier, challenge, 'S256')).toBe(true)
  expect(provesChallenge(verifier, verifier, 'plain')).toBe(true)
  expect(provesChallenge(challenge, challenge, 'S256')).toBe(false)
  expect(provesChallenge(verifier, challenge, 'plain')).toBe(false)
  expect(provesChallenge('', challenge, 'S256')).toBe(false)
})

test('a challenge has from 43 to 128 characters that need no encoding', () => {
  const fits = [challenge, 'a'.repeat(43), '~'.repeat(128)]
  const others = ['', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}=`, `${'a'.repeat(43)}\n`, 'ü'.repeat(43)]
  expect([...fits, ...others].filter(isChallenge)).toEqual(fits)
})
