/** Numbers and dates in English are those of `Intl`. */
import fc from 'fast-check'
import { test } from 'vitest'
import { dayAndTime, dayWords, fullDay, grouped, monthAndYear, relative, shortMonth, shortWeekday, type Unit } from './english.ts'

const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
const format = (options: Intl.DateTimeFormatOptions) => {
  // Before 1583 the calendar of Intl is another one.
  const intl = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
  return (date: Date) => intl.format(date)
}

test.each<[string, (date: Date) => string, Intl.DateTimeFormatOptions]>([
  ['weekday', shortWeekday, { weekday: 'short' }],
  ['month', shortMonth, { month: 'short' }],
  ['month and year', monthAndYear, { month: 'long', year: 'numeric' }],
  ['day', dayWords, { dateStyle: 'medium' }],
  ['full day', fullDay, { dateStyle: 'full' }],
  ['day and time', dayAndTime, { dateStyle: 'medium', timeStyle: 'short' }],
])('%s', (_, ours, options) => {
  const theirs = format(options)
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1583-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (date) => ours(date) === theirs(date),
    ),
  )
})

test('dates before the Gregorian calendar have words, too', () => {
  fc.assert(fc.property(dates, (date) => /^\w{3} \d+, \d+$/.test(dayWords(date))))
})

test('numbers', () => {
  const theirs = new Intl.NumberFormat('en')
  const numbers = fc.oneof(
    fc.integer(),
    fc.nat(),
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100),
  )
  fc.assert(fc.property(numbers, (value) => grouped(value) === theirs.format(value)))
})

test('distances', () => {
  const theirs = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  const units = fc.constantFrom<Unit>('second', 'minute', 'hour', 'day', 'month', 'year')
  fc.assert(
    fc.property(fc.integer({ min: -5_000, max: 5_000 }), units, (value, unit) => relative(value, unit) === theirs.format(value, unit)),
  )
})
