import { expect, test } from 'vitest'
import { isObjectId } from './object-id.ts'

test('an object id is 40 or 64 small hexadecimal digits', () => {
  expect(['a'.repeat(40), '0'.repeat(64)].map(isObjectId)).toEqual([true, true])
  expect(['a'.repeat(39), 'a'.repeat(41), 'A'.repeat(40), 'g'.repeat(40), `${'a'.repeat(40)}\n`, ''].map(isObjectId)).toEqual(
    Array(6).fill(false),
  )
})
