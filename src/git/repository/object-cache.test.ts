import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { Failure } from '../../failure.ts'
import { clientGone } from '../process/run.ts'
import { cached, objectCache } from './object-cache.ts'

afterEach(() => void vi.restoreAllMocks())

/** The cost of an entry besides its own bytes. */
const overhead = (key: string) => 2 * key.length + 100

test('the least recently used value goes first', () => {
  const known = objectCache(8 * (100 + overhead('a')))
  for (const key of 'abcdefgh') known.set(key, key, 100)
  expect(known.get('a')).toBe('a')
  known.set('i', 'i', 100)
  expect([known.get('a'), known.get('b'), known.get('c'), known.get('i')]).toEqual(['a', undefined, 'c', 'i'])
})

test('a cache of objects never exceeds its budget', () => {
  const known = objectCache(10_000)
  for (let index = 0; index < 1_000; index += 1) {
    known.set(`key${index % 37}`, index, (index * 7919) % 1_500)
    expect(known.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(known.bytes).toBeGreaterThan(5_000)
})

test('a value set again replaces the one before, and its cost', () => {
  const known = objectCache(10_000)
  known.set('a', 1, 1_000)
  known.set('a', 2, 10)
  expect([known.get('a'), known.bytes]).toEqual([2, 10 + overhead('a')])
})

test('a value larger than a quarter of the budget is returned and not cached', () => {
  const known = objectCache(4_000)
  known.set('small', 1, 100)
  expect(known.set('large', 2, 1_000)).toBe(2)
  expect(known.set('endless', 3, Number.POSITIVE_INFINITY)).toBe(3)
  expect([known.get('large'), known.get('endless'), known.get('small')]).toEqual([undefined, undefined, 1])
})

test('one read serves all concurrent and later requests', async () => {
  const known = objectCache(100_000)
  let reads = 0
  const read = async () => {
    reads += 1
    await new Promise((resolve) => setImmediate(resolve))
    return { text: 'value' }
  }
  const ask = () => cached(known, 'key', read, () => 10)
  const answers = await Promise.all([ask(), ask(), ask()])
  answers.push(await ask())
  expect([reads, new Set(answers).size]).toEqual([1, 1])
})

/** Asks a memory for one key, whose reads are numbered from 1. */
function reader<T>(read: (number: number) => T) {
  const known = objectCache(100_000)
  let reads = 0
  const readNext = async () => {
    reads += 1
    return read(reads)
  }
  return {
    ask: () => cached(known, 'key', readNext, () => 10),
    get reads() {
      return reads
    },
  }
}

function thrower(failure: Error): never {
  throw failure
}

test('null is returned and not cached', async () => {
  const { ask } = reader((number) => (number === 1 ? null : 'there'))
  expect([await ask(), await ask(), await ask()]).toEqual([null, 'there', 'there'])
})

test('a failed read fails all concurrent requests, and the next one retries', async () => {
  const { ask } = reader((number) => (number === 1 ? thrower(new Error('broken')) : number))
  const first = await Promise.allSettled([ask(), ask()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(2)
})

test('two caches are independent', async () => {
  const [one, other] = [objectCache(10_000), objectCache(10_000)]
  expect(
    await Promise.all(
      [one, other].map((known, index) =>
        cached(
          known,
          'key',
          async () => index,
          () => 1,
        ),
      ),
    ),
  ).toEqual([0, 1])
})

test.each([
  ['the client of the first leaves', clientGone()],
  ['the first may have no more costly requests', new Failure('too_many_at_once', '429')],
])('when %s, the others are not left without an answer', async (_, failure) => {
  const { ask } = reader((number) => (number === 1 ? thrower(failure) : number))
  const outcomes = await Promise.allSettled([ask(), ask(), ask()])
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))).toEqual([failure.code, 2, 2])
})

test('an error for an object that is too large is cached', async () => {
  const asked = reader(() => thrower(new Failure('unprocessable', 'too much')))
  for (const _ of [1, 2]) await expect(asked.ask()).rejects.toMatchObject({ code: 'unprocessable' })
  expect(asked.reads).toBe(1)
})

test('a refusal for size is cached for ten minutes', async () => {
  const clock = vi.spyOn(performance, 'now')
  /** The cache reads the clock once in a millisecond. */
  const advanceTo = async (minutes: number) => {
    clock.mockReturnValue(1_000 + minutes * 60_000)
    await setTimeout(5)
  }
  const asked = reader((number) => (number === 1 ? thrower(new Failure('unprocessable', 'too much memory')) : 'value'))
  await advanceTo(0)
  await expect(asked.ask()).rejects.toThrow('too much memory')
  await advanceTo(9)
  await expect(asked.ask()).rejects.toThrow('too much memory')
  expect(asked.reads).toBe(1)
  await advanceTo(11)
  expect([await asked.ask(), asked.reads]).toEqual(['value', 2])
})
