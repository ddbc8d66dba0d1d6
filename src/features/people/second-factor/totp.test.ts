/** Codes of authenticator apps, compared with those of an independent library. */
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const at_ms = 1_700_000_015_000
const step = Math.floor(at_ms / 30_000)

test('the code of RFC 6238 belongs to its step', () => {
  const secret = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer }).base32
  // The last six digits of the eight in appendix B.
  expect(stepOfCode(secret, '287082', 59_000)).toBe(1)
  expect(stepOfCode(secret, '081804', 1_111_111_109_000)).toBe(Math.floor(1_111_111_109 / 30))
})

test('a clock may be off by one step and no more, and a code has six digits', () => {
  const secret = newTotpSecret()
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const codeOf = (steps: number) => app.generate({ timestamp: at_ms + steps * 30_000 })
  expect([-2, -1, 0, 1, 2].map((steps) => stepOfCode(secret, codeOf(steps), at_ms))).toEqual([null, step - 1, step, step + 1, null])
  const code = codeOf(0)
  expect(stepOfCode(secret, ` ${code.slice(0, 3)} ${code.slice(3)}\n`, at_ms)).toBe(step)
  for (const wrong of ['', '12345', `${code}0`, `${code}\0`, 'abcdef', '１２３４５６', '-12345', '1'.repeat(100_000)])
    expect([wrong.slice(0, 20), stepOfCode(secret, wrong, at_ms)]).toEqual([wrong.slice(0, 20), null])
})

test('the address of a QR code names the service and the account, and tells an app all it needs', () => {
  const secret = newTotpSecret()
  const uri = totpUri(secret, { issuer: 'git.example.com', account: 'ada' })
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(uri).toMatch(/^otpauth:\/\/totp\/git\.example\.com:ada\?/)
  const read = new URL(uri).searchParams
  expect([read.get('secret'), read.get('issuer'), read.get('digits'), read.get('period')]).toEqual([secret, 'git.example.com', '6', '30'])
})
