import { afterEach, expect, test, vi } from 'vitest'
import { Failure } from '../../failure.ts'
import { clientGone } from '../process/run.ts'
import { memory, remembered } from './object-cache.ts'

afterEach(() => vi.useRealTimers())

/** What an entry costs besides its own bytes. */
const overhead = (key: string) => 2 * key.length + 100

test('the least recently used value goes first', () => {
  const known = memory(8 * (100 + overhead('a')))
  for (const key of 'abcdefgh') known.set(key, key, 100)
  expect(known.get('a')).toBe('a')
  known.set('i', 'i', 100)
  expect([known.get('a'), known.get('b'), known.get('c'), known.get('i')]).toEqual(['a', undefined, 'c', 'i'])
})

test('the budget is never passed, whatever is set', () => {
  const known = memory(10_000)
  for (let index = 0; index < 1_000; index += 1) {
    known.set(`key${index % 37}`, index, (index * 7919) % 1_500)
    expect(known.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(known.bytes).toBeGreaterThan(5_000)
})

test('a value set again replaces the one before, and its cost', () => {
  const known = memory(10_000)
  known.set('a', 1, 1_000)
  known.set('a', 2, 10)
  expect([known.get('a'), known.bytes]).toEqual([2, 10 + overhead('a')])
})

test('a value larger than a quarter of the whole is given back and not kept', () => {
  const known = memory(4_000)
  known.set('small', 1, 100)
  expect(known.set('large', 2, 1_000)).toBe(2)
  expect([known.get('large'), known.get('small')]).toEqual([undefined, 1])
})

test('one read serves all who ask while it is under way, and those after it', async () => {
  const known = memory(100_000)
  let reads = 0
  const read = async () => {
    reads += 1
    await new Promise((resolve) => setImmediate(resolve))
    return { text: 'value' }
  }
  const ask = () => remembered(known, 'key', read, () => 10)
  const answers = await Promise.all([ask(), ask(), ask()])
  answers.push(await ask())
  expect([reads, new Set(answers).size]).toEqual([1, 1])
})

/** Asks a memory for one key, whose reads are numbered from 1. */
function asker<T>(read: (number: number) => T) {
  const known = memory(100_000)
  let reads = 0
  const readNext = async () => {
    reads += 1
    return read(reads)
  }
  return {
    ask: () => remembered(known, 'key', readNext, () => 10),
    get reads() {
      return reads
    },
  }
}

function thrower(failure: Error): never {
  throw failure
}

test('null is given back and not remembered', async () => {
  const { ask } = asker((number) => (number === 1 ? null : 'there'))
  expect([await ask(), await ask(), await ask()]).toEqual([null, 'there', 'there'])
})

test('a read that fails fails all who asked, and the next one tries again', async () => {
  const { ask } = asker((number) => (number === 1 ? thrower(new Error('broken')) : number))
  const first = await Promise.allSettled([ask(), ask()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(2)
})

test('two memories know nothing of each other', async () => {
  const [one, other] = [memory(10_000), memory(10_000)]
  expect(
    await Promise.all(
      [one, other].map((known, index) =>
        remembered(
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
  const { ask } = asker((number) => (number === 1 ? thrower(failure) : number))
  const outcomes = await Promise.allSettled([ask(), ask(), ask()])
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))).toEqual([failure.code, 2, 2])
})

test('that something needs too much is remembered', async () => {
  const asked = asker(() => thrower(new Failure('unprocessable', 'too much')))
  for (const _ of [1, 2]) await expect(asked.ask()).rejects.toMatchObject({ code: 'unprocessable' })
  expect(asked.reads).toBe(1)
})

test('a refusal for too much stands for ten minutes, and then there is another try', async () => {
  vi.useFakeTimers()
  const asked = asker((number) => (number === 1 ? thrower(new Failure('unprocessable', 'too much memory')) : 'value'))
  const { ask } = asked
  await expect(ask()).rejects.toThrow('too much memory')
  vi.advanceTimersByTime(9 * 60_000)
  await expect(ask()).rejects.toThrow('too much memory')
  expect(asked.reads).toBe(1)
  vi.advanceTimersByTime(60_000)
  expect([await ask(), asked.reads]).toEqual(['value', 2])
})
