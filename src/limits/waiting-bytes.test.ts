import { expect, test } from 'vitest'
import { waitingBytes } from './waiting-bytes.ts'

const tooMany = expect.objectContaining({ code: 'too_many_at_once' })
const busy = expect.objectContaining({ code: 'busy' })

test('bytes that wait are bounded by address, and are free again once, when they were read', () => {
  const { take } = waitingBytes({ of_address: 10, total: 100 })
  const first = take('a', 6)
  expect(() => take('a', 5)).toThrow(tooMany)
  take('a', 4)
  take('b', 10)
  first()
  first()
  expect(() => take('a', 7)).toThrow(tooMany)
  take('a', 6)
})

test('the share of an address shrinks as the total fills: addresses that read nothing never take all of it', () => {
  const { take } = waitingBytes({ of_address: 64, total: 256 })
  for (const address of ['a', 'b', 'c']) take(address, 64)
  expect(() => take('d', 64)).toThrow(busy)
  take('d', 32)
  expect(() => take('d', 1)).toThrow(tooMany)
  take('e', 16)
  take('f', 8)
  take('g', 1)
})

test('an answer that is larger than the limits is written when nothing else waits', () => {
  const { take } = waitingBytes({ of_address: 10, total: 25 })
  const large = take('a', 100)
  expect(() => take('a', 1)).toThrow(tooMany)
  expect(() => take('b', 1)).toThrow(busy)
  large()
  take('b', 1)
})
