import { expect, test } from 'vitest'
import { digestOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'

test('ten codes differ, and are recognized in any spelling', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) {
    expect(code).toMatch(/^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){3}$/)
    expect(digestOfRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')} `)).toBe(digestOfRecoveryCode(code))
    expect(digestOfRecoveryCode(code)).toMatch(/^[0-9a-f]{64}$/)
  }
})

test('a text without the format of a code is not a code', () => {
  for (const text of ['', '123456', 'abcd-efgh-ijkm', 'abcd-efgh-ijkm-npq1', 'abcd-efgh-ijkm-npqr-s', 'x'.repeat(100_000)])
    expect([text.slice(0, 30), digestOfRecoveryCode(text)]).toEqual([text.slice(0, 30), null])
})
