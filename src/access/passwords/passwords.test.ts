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

test('equal passwords have hashes of their own', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
  expect(first).not.toBe(second)
  expect([await passwordMatches(first, 'same'), await passwordMatches(second, 'same')]).toEqual([true, true])
})

test('a cached match ends when the password changes', async () => {
  const [before, after] = [await hashPassword('before'), await hashPassword('after')]
  expect(await passwordMatches(before, 'before')).toBe(true)
  expect(await passwordMatches(after, 'before')).toBe(false)
})

test('nothing matches where there is no hash, or one that is none', async () => {
  for (const stored of [null, '', 'plain text', '$argon2id$v=19$broken']) {
    for (const _ of [1, 2]) expect(await passwordMatches(stored, 'plain text')).toBe(false)
  }
})

test('many concurrent checks are each answered rightly', async () => {
  const stored = await hashPassword('right')
  const answers = await Promise.all(
    ['right', 'wrong', 'right', 'wrong', 'right', 'wrong'].map((password) => passwordMatches(stored, password)),
  )
  expect(answers).toEqual([true, false, true, false, true, false])
})
