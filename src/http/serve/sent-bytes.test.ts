import { expect, test } from 'vitest'
import { startOf } from './sent-bytes.ts'

test.each([
  ['0-99', 0],
  ['100-', 100],
  [' 7-7 ', 7],
  ['bytes 5-9/10', 5],
  ['bytes 5-9/*', 5],
])('a piece with the range %j begins at %d', (range, start) => {
  expect(startOf(range)).toBe(start)
})

test.each(['', '-1-5', 'a-b', '1e3-4', '5-9/x', 'lines 1-2', `${'9'.repeat(30)}-1`])('a piece with the range %j is refused', (range) => {
  expect(() => startOf(range)).toThrow('400 Malformed header Content-Range')
})

test('a piece without a range is refused', () => {
  expect(() => startOf(undefined)).toThrow('400 Missing header Content-Range')
})
