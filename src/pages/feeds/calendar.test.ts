/** Calendars: escaping, folding, and who reads those of issues. */
import { expect, test } from 'vitest'
import { calendarOf } from './calendar.ts'

const event = { uid: 'issue-1@host', day: '2030-02-01', updated_at: '2026-11-22T10:00:00.123Z', url: 'http://host/a/b/issues/1' }

/** Parses a calendar as clients do: folded lines are joined. */
function read(text: string): Array<[string, string]> {
  expect(text.endsWith('\r\n')).toBe(true)
  for (const line of text.slice(0, -2).split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(Buffer.from(line).toString()).toBe(line)
  }
  return text
    .replaceAll('\r\n ', '')
    .slice(0, -2)
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)])
}

test('an event is a whole day, and takes nobody’s time', () => {
  expect(read(calendarOf('a/b: issues', [{ ...event, summary: 'Ship it', description: event.url }]))).toEqual([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Gitstead//Gitstead//EN'],
    ['NAME', 'a/b: issues'],
    ['X-WR-CALNAME', 'a/b: issues'],
    ['BEGIN', 'VEVENT'],
    ['UID', 'issue-1@host'],
    ['DTSTAMP', '20261122T100000Z'],
    ['DTSTART;VALUE=DATE', '20300201'],
    ['SUMMARY', 'Ship it'],
    ['DESCRIPTION', event.url],
    ['URL', event.url],
    ['TRANSP', 'TRANSPARENT'],
    ['END', 'VEVENT'],
    ['END', 'VCALENDAR'],
  ])
})

test.each([
  ['a;b,c\\d:e', 'a\\;b\\,c\\\\d:e'],
  ['one\r\ntwo\nthree\rfour', 'one\\ntwo\\nthree\\nfour'],
  ['x\r\nEND:VEVENT\r\nBEGIN:VALARM', 'x\\nEND:VEVENT\\nBEGIN:VALARM'],
  ['bell\u0007 nul\0 del\u007f next\u0085', 'bell nul del next'],
  [`${'é'.repeat(100)}${'🎉'.repeat(50)}`, `${'é'.repeat(100)}${'🎉'.repeat(50)}`],
  [',;\\'.repeat(60), '\\,\\;\\\\'.repeat(60)],
])('a hostile title stays one value: %j', (summary, written) => {
  const lines = read(calendarOf(summary, [{ ...event, summary, description: summary }]))
  expect(lines).toHaveLength(15)
  expect(lines.filter(([, value]) => value === written)).toHaveLength(4)
})
