import { expect, test } from 'vitest'
import { hashPassword, passwordMatches } from './passwords.ts'

test('only the right password matches its hash, also from the cache', async () => {
  const stored = await hashPassword('correct horse')
  expect(stored).toMatch(/^\$argon2id\$/)
  for (const _ of [1, 2]) {
    expect(await passwordMatches(stored, 'correct horse')).toBe(true)
    expect(await passwordMatches(stored, 'correct horsf')).toBe(false)
    expect(await passwordMatches(stored, '')).toBe(false)
  }
})

test('equal passwords have different hashes', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
  expect(first).not.toBe(second)
  expect([await passwordMatches(first, 'same'), await passwordMatches(second, 'same')]).toEqual([true, true])
})

test('a cached match is invalid after the password has changed', async () => {
  const [before, after] = [await hashPassword('before'), await hashPassword('after')]
  expect(await passwordMatches(before, 'before')).toBe(true)
  expect(await passwordMatches(after, 'before')).toBe(false)
})

test('no password matches a missing or malformed hash', async () => {
  for (const stored of [null, '', 'plain text', '$argon2id$v=19$broken']) {
    for (const _ of [1, 2]) expect(await passwordMatches(stored, 'plain text')).toBe(false)
  }
})

test('concurrent checks all return the right result', async () => {
  const stored = await hashPassword('right')
  const answers = await Promise.all(
    ['right', 'wrong', 'right', 'wrong', 'right', 'wrong'].map((password) => passwordMatches(stored, password)),
  )
  expect(answers).toEqual([true, false, true, false, true, false])
})
