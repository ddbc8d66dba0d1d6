import { expect, test } from 'vitest'
import { requestCounter, windowEnd_s } from './throttles.ts'

test('requests are counted by key and rule, and each window starts at zero', async () => {
  let now_ms = 60_000
  const counter = requestCounter(() => now_ms)
  const count = (key: string) => counter.count('unauthenticated', key, 60)
  expect([await count('a'), await count('a'), await count('b')]).toEqual([1, 2, 1])
  expect(await counter.count('authenticated_api', 'a', 60)).toBe(1)
  now_ms = 119_999
  expect(await count('a')).toBe(3)
  now_ms = 120_000
  expect(await count('a')).toBe(1)
})

test('a changed period starts a new window', async () => {
  const counter = requestCounter(() => 60_000)
  await counter.count('unauthenticated', 'a', 60)
  expect(await counter.count('unauthenticated', 'a', 30)).toBe(1)
  expect([windowEnd_s(60, 60_000), windowEnd_s(60, 119_999), windowEnd_s(30, 60_000)]).toEqual([120, 120, 90])
})

test('the number of clients remembered is bounded, and current ones keep their counts', async () => {
  const counter = requestCounter(() => 0)
  for (let client = 0; client < 100_001; client += 1) await counter.count('unauthenticated', String(client), 60)
  expect(await counter.count('unauthenticated', '0', 60)).toBe(1)
  expect(await counter.count('unauthenticated', '100000', 60)).toBe(2)
})

test('those beyond a limit are listed while the window lasts, those with the most requests first', async () => {
  let now_ms = 60_000
  const counter = requestCounter(() => now_ms)
  for (const key of ['a', 'b', 'b', 'b', 'c', 'c']) await counter.count('search', key, 60)
  const rule = { max: 1, period_s: 60 }
  expect(await counter.above('search', rule)).toEqual([
    { key: 'b', count: 3 },
    { key: 'c', count: 2 },
  ])
  expect(await counter.above('search', { ...rule, max: 3 })).toEqual([])
  expect(await counter.above('notes_create', rule)).toEqual([])
  now_ms = 120_000
  expect(await counter.above('search', rule)).toEqual([])
})
