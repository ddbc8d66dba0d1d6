import { expect, test } from 'vitest'
import { placeholderFiller } from './placeholders.ts'

test('known names stand for their values, others for themselves, those of every object too', () => {
  const fill = placeholderFiller({ a: () => 'A', empty: () => '' }, 1_000)
  expect(fill('%{a}-%{a}-%{empty}-%{b}-%{__proto__}-%{constructor}-%{toString}-%{hasOwnProperty}-%{}')).toBe(
    'A-A--%{b}-%{__proto__}-%{constructor}-%{toString}-%{hasOwnProperty}-%{}',
  )
})

test('a template is cut off while it is filled in, and each value is made once', () => {
  let made = 0
  const long = () => {
    made += 1
    return 'x'.repeat(600)
  }
  const fill = placeholderFiller({ long }, 1_000)
  expect(fill('%{long}'.repeat(100_000))).toBe('x'.repeat(1_000))
  expect([fill('more'), made]).toEqual(['', 1])
})
