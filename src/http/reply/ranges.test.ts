import { expect, test } from 'vitest'
import { hasAlready, partOf, rangeCounts } from './ranges.ts'

test('an ETag matches when listed, weak or strong, or with *', () => {
  for (const sent of ['"a"', 'W/"a"', '"x", "a"', '"x","y" , W/"a"', '*', ' * ', '"x,y", "a"']) {
    for (const etag of ['"a"', 'W/"a"']) expect([sent, hasAlready(sent, etag)]).toEqual([sent, true])
  }
  expect(hasAlready('"x,y"', '"x,y"')).toBe(true)
})

test('an ETag doesn’t match when absent, unquoted, or part of another', () => {
  for (const sent of [undefined, '', '"b"', 'a', 'W/a', '"a', '"A"', '"aa"', '"x a"', '"*"', ',', '"x" *']) {
    expect([sent, hasAlready(sent, '"a"')]).toEqual([sent, false])
  }
})

test('a single range is served, cut at the end', () => {
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=3-5', 3, 5],
    ['bytes=9-', 9, 9],
    ['bytes=0-', 0, 9],
    ['bytes=5-100', 5, 9],
    ['bytes=5-99999999999999999999999', 5, 9],
    ['bytes=-1', 9, 9],
    ['bytes=-10', 0, 9],
    ['bytes=-99999999999999999999999', 0, 9],
    ['BYTES= 1-2 ', 1, 2],
  ] as const) {
    expect([range, partOf(range, 10)]).toEqual([range, { start, end }])
  }
})

test('a range past the end, or an empty one, is 416', () => {
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999999-', 'bytes=-0']) {
    expect([range, partOf(range, 10)]).toEqual([range, 'none'])
  }
  expect(partOf('bytes=0-', 0)).toBe('none')
  expect(partOf('bytes=-5', 0)).toBe('whole')
})

test('several ranges, other units and malformed ranges are ignored', () => {
  for (const range of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-3',
    'bytes=0-1,3-4',
    'lines=0-1',
    'bytes=a-b',
    'bytes=1',
    'bytes=--1',
    'bytes=0x0-1',
    'bytes=1.5-2',
    '0-1',
  ]) {
    expect([range, partOf(range, 10)]).toEqual([range, 'whole'])
  }
})

test('If-Range serves a range only if the ETag matches', () => {
  expect(rangeCounts(undefined, '"a"')).toBe(true)
  expect(rangeCounts('"a"', '"a"')).toBe(true)
  for (const [sent, etag] of [
    ['"b"', '"a"'],
    ['W/"a"', '"a"'],
    ['W/"a"', 'W/"a"'],
    ['"a"', 'W/"a"'],
    ['"a"', undefined],
    ['Wed, 21 Oct 2015 07:28:00 GMT', '"a"'],
    ['', '"a"'],
    ['*', '"a"'],
  ] as const) {
    expect([sent, etag, rangeCounts(sent, etag)]).toEqual([sent, etag, false])
  }
})
