import { expect, test } from 'vitest'
import { cronError, nextTime, previousTime, timeZoneError } from './cron.ts'

test('times are those of the time zone, summer time included', () => {
  const at = new Date('2026-03-28T12:00:00Z')

  expect(nextTime('0 4 * * *', 'UTC', at)).toBe('2026-03-29T04:00:00.000Z')
  expect(nextTime('0 4 * * *', 'Europe/Berlin', at)).toBe('2026-03-29T02:00:00.000Z')
  expect(nextTime('0 4 * * *', 'America/New_York', at)).toBe('2026-03-29T08:00:00.000Z')
  // There is no half past two on that day: it is when the clock has gone forward.
  expect(nextTime('30 2 29 3 *', 'Europe/Berlin', at)).toBe('2026-03-29T01:00:00.000Z')
  expect(nextTime('*/5 * * * *', 'UTC', at)).toBe('2026-03-28T12:05:00.000Z')
  expect(nextTime('@daily', 'UTC', at)).toBe('2026-03-29T00:00:00.000Z')
  expect(previousTime('0 23 * * 5', 'UTC', at)).toBe('2026-03-27T23:00:00.000Z')
})

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '0 0 30 2 *',
  'H * * * *',
  `${'1,'.repeat(200)}1 * * * *`,
  'daily',
  '* * * * * UTC',
])('the expression %j is refused', (expression) => {
  expect([cronError(expression), nextTime(expression, 'UTC', new Date())]).toEqual(['is invalid syntax', null])
})

test('an unknown time zone is refused', () => {
  expect(timeZoneError('Europe/Berlin')).toBeNull()
  expect(timeZoneError('Europe/Atlantis')).toBe('is invalid syntax')
  expect(timeZoneError('x'.repeat(10_000))).toBe('is invalid syntax')
  expect(nextTime('0 0 * * *', 'Nowhere', new Date())).toBeNull()
})
