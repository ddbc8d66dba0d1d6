import { expect, test } from 'vitest'
import { concurrencyLimiter, type Release } from './concurrency.ts'

const isPlace = (answer: unknown): answer is Release => typeof answer === 'function'

test('each key has a maximum, and so have all keys together', async () => {
  const limiter = concurrencyLimiter({ perKey: 2, total: 3 })

  const answers = []
  for (const key of ['a', 'a', 'a', 'b', 'b', 'c']) answers.push(await limiter.acquire(key))

  expect(answers.map((answer) => (isPlace(answer) ? 'place' : answer))).toEqual(['place', 'place', 'key', 'place', 'all', 'all'])
})

test('a released slot can be taken once', async () => {
  const limiter = concurrencyLimiter({ perKey: 1, total: 1 })
  const first = await limiter.acquire('a')
  if (!isPlace(first)) throw new Error('there was no place')
  expect(await limiter.acquire('b')).toBe('all')

  first()
  first()

  expect(isPlace(await limiter.acquire('b'))).toBe(true)
  expect(await limiter.acquire('c')).toBe('all')
})
