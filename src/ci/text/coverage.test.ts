import { expect, test } from 'vitest'
import { coverageIn } from './coverage.ts'

test('coverage is the number of the last line that matches', () => {
  const text = 'Lines: 10.5%\nnothing\nLines: 91.25% of 400\nbye'
  expect(coverageIn(text, 'Lines: \\d+(?:\\.\\d+)?%')).toBe(91.25)
  expect(coverageIn(text, '/Lines: (\\d+)/')).toBe(91)
  expect(coverageIn('TOTAL 100 50 50%', 'TOTAL.+?(\\d+)%')).toBe(50)
  expect(coverageIn(text, 'Branches: (\\d+)')).toBeNull()
  expect(coverageIn('Lines: 250%', 'Lines: (\\d+)')).toBeNull()
  expect(coverageIn(text, '(')).toBeNull()
})

test('an expression that explodes elsewhere is searched in linear time', () => {
  expect(coverageIn(`${'a'.repeat(100_000)}!`, '(a+)+$')).toBeNull()
})
