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
