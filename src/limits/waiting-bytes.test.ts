import { expect, test } from 'vitest'
import { waitingBytes } from './waiting-bytes.ts'

const tooMany = expect.objectContaining({ code: 'too_many_at_once' })
const busy = expect.objectContaining({ code: 'busy' })
const unended = () => {
  throw new Error('an answer was ended')
}

test('bytes that wait are bounded by address, and are free again once, when they were read', () => {
  const { take } = waitingBytes({ of_address: 10, total: 100 })
  const first = take('a', 6, unended)
  expect(() => take('a', 5, unended)).toThrow(tooMany)
  take('a', 4, unended)
  take('b', 10, unended)
  first()
  first()
  expect(() => take('a', 7, unended)).toThrow(tooMany)
  take('a', 6, unended)
})

test('four addresses that don’t read leave room for others: the oldest reply of the largest is ended', () => {
  const { take } = waitingBytes({ of_address: 64, total: 256 })
  const ended: string[] = []
  for (const address of ['a', 'b', 'c', 'd']) {
    for (const name of [1, 2]) take(address, 32, () => ended.push(`${address}${name}`))
  }
  expect(ended).toEqual([])
  take('e', 30, () => ended.push('e'))
  expect(ended).toEqual(['a1'])
  for (const address of ['f', 'g', 'h', 'i']) take(address, 30, () => ended.push(address))
  expect(ended).toEqual(['a1', 'b1', 'c1', 'd1', 'a2'])
})

test('a reply is ended only for an address that holds less, and only if that frees enough memory', () => {
  const { take } = waitingBytes({ of_address: 64, total: 100 })
  const ended: string[] = []
  take('a', 20, () => ended.push('a1'))
  take('a', 40, () => ended.push('a2'))
  take('b', 40, () => ended.push('b'))
  expect(() => take('c', 60, unended)).toThrow(busy)
  expect(() => take('c', 50, unended)).toThrow(busy)
  expect(ended).toEqual([])
  take('c', 15, unended)
  expect(ended).toEqual(['a1'])
})

test('what was ended to make room is counted no more, and its late release frees nothing again', () => {
  const { take } = waitingBytes({ of_address: 64, total: 100 })
  const ended: string[] = []
  const first = take('a', 60, () => ended.push('a'))
  take('b', 40, () => ended.push('b'))
  take('c', 30, () => ended.push('c'))
  first()
  take('d', 30, () => ended.push('d'))
  expect(ended).toEqual(['a'])
  expect(() => take('e', 40, unended)).toThrow(busy)
})

test('an answer that is larger than the limits is written when nothing else waits', () => {
  const { take } = waitingBytes({ of_address: 10, total: 25 })
  const large = take('a', 100, unended)
  expect(() => take('a', 1, unended)).toThrow(tooMany)
  large()
  take('b', 1, unended)
})
