import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { parseCodeQuery } from './query.ts'

const kept = (search: string, ...paths: string[]) => paths.filter(parseCodeQuery(search).keeps)

test('words are one text, and filters narrow the paths', () => {
  expect(parseCodeQuery('  let   x path:src  = 1').text).toBe('let x = 1')
  expect(kept('extension:JS', 'a.js', 'a.jsx', 'js', 'b/c.JS')).toEqual(['a.js', 'b/c.JS'])
  expect(kept('filename:main.*', 'src/main.c', 'main', 'domain.rs', 'main.c/x')).toEqual(['src/main.c', 'domain.rs', 'main.c/x'])
  expect(kept('path:SRC/*test', 'src/a/test.js', 'test/src/a', 'lib')).toEqual(['src/a/test.js'])
  expect(kept('-path:test extension:js', 'test/a.js', 'b.js')).toEqual(['b.js'])
})

test('signs of regular expressions mean themselves, and many stars take no time', () => {
  expect(kept('path:a.c', 'abc', 'a.c')).toEqual(['a.c'])
  const used_ms = measureComputing()
  expect(kept(`path:${'a*'.repeat(400)}b`, 'a'.repeat(4_000))).toEqual([])
  expect(used_ms()).toBeLessThan(500)
})

test('a regular expression keeps its spaces, and filters beside it narrow the paths', () => {
  const query = parseCodeQuery('path:src let  \\w+ = -extension:md', { regex: true })
  expect(query.text).toBe('let  \\w+ =')
  expect(['src/a.js', 'src/a.md', 'a.js'].filter(query.keeps)).toEqual(['src/a.js'])
  const isIn = (line: string) => query.matcher.isIn(line)
  expect(['let  x = 1', 'LET  x =\r', 'let x = 1'].map(isIn)).toEqual([true, true, false])
  const placesIn = (expression: string, line: string) => parseCodeQuery(expression, { regex: true }).matcher.placesIn(line)
  expect(placesIn('a+|x*$', 'aab a\r')).toEqual([
    [0, 2],
    [4, 5],
  ])
  expect(parseCodeQuery('(?-i)Foo', { regex: true }).matcher.isIn('foo')).toBe(false)
})

test.each(['(', 'a**', '(?=a)', '\\1', '[z-a]', 'a{1001}', '(a?){1000}', `${'ab|'.repeat(400)}`])(
  '%s is no expression to search for',
  (text) => {
    expect(() => parseCodeQuery(text, { regex: true })).toThrow(/regular expression/)
  },
)

test('where finding each place takes the rest of its line, only the first ones are marked', () => {
  const { matcher } = parseCodeQuery('(x?){60}xxx*y|xzz|x', { regex: true })
  const used_ms = measureComputing()
  const marked = Array.from({ length: 100 }, () => matcher.placesIn('x'.repeat(2_000)).length)
  expect([marked[0], marked.at(-1)]).toEqual([expect.any(Number), 0])
  expect(marked[0]).toBeGreaterThan(10)
  expect(used_ms()).toBeLessThan(1_500)
})

test('an expression takes linear time, on a line of any length', () => {
  const { matcher } = parseCodeQuery('(a+)+b(.*.*)*c', { regex: true })
  const used_ms = measureComputing()
  expect(matcher.isIn('a'.repeat(1_000_000))).toBe(false)
  expect(used_ms()).toBeLessThan(500)
})
