import { expect, test } from 'vitest'
import { recentUse } from './recent-use.ts'

test('use is counted over the last minute, and fades in the next', () => {
  let time = 0
  const use = recentUse(() => time)
  use.add('a', 10)
  time = 30_000
  use.add('a', 20)
  use.add('b', 5)
  expect([use.of('a'), use.of('b'), use.of('c')]).toEqual([30, 5, 0])
  time = 75_000
  use.add('a', 1)
  expect([use.of('a'), use.of('b')]).toEqual([1 + 30 * 0.75, 5 * 0.75])
  time = 120_000
  expect([use.of('a'), use.of('b')]).toEqual([1, 0])
})

test('use of more than two minutes ago is forgotten', () => {
  let time = 0
  const use = recentUse(() => time)
  use.add('a', 10)
  time = 130_000
  expect(use.of('a')).toBe(0)
})
