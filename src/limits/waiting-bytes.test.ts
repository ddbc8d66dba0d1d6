import { expect, test } from 'vitest'
import { waitingBytes } from './waiting-bytes.ts'

test('bytes that wait are bounded by address and in all, and are free again once, when they were read', () => {
  const { take } = waitingBytes({ of_address: 10, total: 25 })
  const first = take('a', 6)
  expect(() => take('a', 5)).toThrow(expect.objectContaining({ code: 'too_many_at_once' }))
  take('a', 4)
  take('b', 10)
  expect(() => take('c', 6)).toThrow(expect.objectContaining({ code: 'busy' }))
  take('c', 5)
  first()
  first()
  expect(() => take('a', 7)).toThrow(expect.objectContaining({ code: 'too_many_at_once' }))
  take('a', 6)
})

test('an answer that is larger than the limits is written when nothing else waits', () => {
  const { take } = waitingBytes({ of_address: 10, total: 25 })
  const large = take('a', 100)
  expect(() => take('a', 1)).toThrow(expect.objectContaining({ code: 'too_many_at_once' }))
  expect(() => take('b', 1)).toThrow(expect.objectContaining({ code: 'busy' }))
  large()
  take('b', 1)
})
