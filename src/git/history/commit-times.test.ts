/** Times of commits are those on the clocks of their committers. */
import { expect, test } from 'vitest'
import { timesIn } from './commit-times.ts'

test('days, weekdays and hours are those of the place where a commit was made', () => {
  const { commits, authors, first, last, days, weekdays, hours } = timesIn([
    '2024-01-31T23:30:00-08:00 a b@example.com',
    '2024-02-01T00:30:00+09:00 ada@example.com',
    '2024-02-04T00:59:59Z ada@example.com',
    'malformed',
  ])
  expect([commits, authors, first, last]).toEqual([3, 2, '2024-01-31', '2024-02-04'])
  expect([days[30], days[0], days[3]]).toEqual([1, 1, 1])
  // A Wednesday, a Thursday and a Sunday.
  expect(weekdays).toEqual([0, 0, 1, 1, 0, 0, 1])
  expect([hours[23], hours[0]]).toEqual([1, 2])
})

test('no commits have no times', () => {
  expect(timesIn([])).toMatchObject({ commits: 0, authors: 0, first: null, last: null })
})
