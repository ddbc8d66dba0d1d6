/** Quick actions in texts, dates and durations: what is read as one, and what stays text. No database. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { parseDuration } from '../../planning/issuables/durations.ts'
import { parseDate } from './dates.ts'
import { splitQuickActions } from './split.ts'

test('lines that begin with a known name are actions and leave the text; others stay', () => {
  const { text, commands } = splitQuickActions(
    'Hello\r\n/close\n/LABEL ~bug ~"in progress"\n/unknown\n /close\n/closed\n/cc @x\nWorld\n/remove_label  ~a ',
  )
  expect(text).toBe('Hello\n/unknown\n /close\n/closed\n/cc @x\nWorld')
  expect(commands).toEqual([
    { name: 'close', argument: '' },
    { name: 'label', argument: '~bug ~"in progress"' },
    { name: 'unlabel', argument: '~a' },
  ])
})

test('a text without actions stays as it was sent', () => {
  for (const written of ['', ' a \r\n', '/', '/nothing here', 'and/or', 'a\n /close']) {
    expect(splitQuickActions(written)).toEqual({ text: written, commands: [] })
  }
})

test('code, quotes and HTML have no actions; blocks that do not end are text', () => {
  const blocks = [
    '```sh\n/close\n```',
    '~~~\n/close\n~~~',
    '````\n```\n/close\n```\n/close\n`````',
    '~~~~ md\n~~~\n/close\n```\n~~~~',
    '>>>\n/close\n>>>',
    '<details>\n/close\n</details>',
    '<!-- a comment\n/close\n-->',
    '<!--\n/close\n/close --> text',
  ]
  for (const block of blocks)
    expect(splitQuickActions(`${block}\n/reopen`)).toEqual({ text: block, commands: [{ name: 'reopen', argument: '' }] })
  for (const begun of [
    '```\n/close',
    '~~~\n/close\n```',
    '````\n/close\n```',
    '<!--\n/close',
    '<!-- one line -->\n/close',
    '```one line```\n/close\n```',
  ])
    expect([begun, splitQuickActions(begun).commands.length]).toEqual([begun, 1])
})

test('shrugs and flipped tables are appended to their line', () => {
  expect(splitQuickActions('/shrug oh well\n/tableflip').text).toBe('oh well ¯\\＿(ツ)＿/¯\n(╯°□°)╯︵ ┻━┻')
})

test('more than 100 actions are refused, and a megabyte of half-open blocks is read at once', () => {
  expect(splitQuickActions('/close\n'.repeat(100)).commands).toHaveLength(100)
  expect(() => splitQuickActions('/close\n'.repeat(10_000))).toThrow('A text can have 100 quick actions at most')
  const used_ms = measureComputing()
  splitQuickActions(`/close\n${'>>>x\n<b>\n```x\n'.repeat(80_000)}`)
  expect(used_ms()).toBeLessThan(5_000)
})

test('durations are read as people write them, and as they are shown', () => {
  const hour = 3600
  const read: Array<[string, number | null]> = [
    ['1w 2d 3h 4m', (40 + 16 + 3) * hour + 240],
    ['1w2d3h4m', (40 + 16 + 3) * hour + 240],
    ['1mo', 160 * hour],
    ['-1h 30m', -1.5 * hour],
    ['2', 2 * hour],
    ['1.5 hours', 1.5 * hour],
    ['1 hour and 30 minutes', 1.5 * hour],
    ['1:30:00', 1.5 * hour],
    ['0', 0],
    ['', null],
    ['foo', null],
    ['1 fortnight', null],
    ['1h foo', null],
    ['h', null],
    ['999999999999w', null],
    ['1'.repeat(300), null],
  ]
  for (const [text, seconds] of read) expect([text, parseDuration(text)]).toEqual([text, seconds])
})

test('dates are read as people write them; what names no year is the next such day', () => {
  // A Sunday.
  const today = '2026-11-22'
  const read: Array<[string, string | null]> = [
    ['2018-12-31', '2018-12-31'],
    ['today', today],
    ['Tomorrow', '2026-11-23'],
    ['in 2 days', '2026-11-24'],
    ['in two weeks', '2026-12-06'],
    ['a month from now', '2026-12-22'],
    ['next week', '2026-11-29'],
    ['this Friday', '2026-11-27'],
    ['sunday', '2026-11-29'],
    ['December 31st', '2026-12-31'],
    ['1 Feb', '2027-02-01'],
    ['feb 29 2028', '2028-02-29'],
    ['12/31/2026', '2026-12-31'],
    ['2018-13-40', null],
    ['February 30', null],
    ['in 3 moons', null],
    ['someday', null],
    ['', null],
    ['in 9999 years', null],
  ]
  for (const [text, day] of read) expect([text, parseDate(text, today)]).toEqual([text, day])
  expect(parseDate('in 1 month', '2026-01-31')).toBe('2026-02-28')
})
