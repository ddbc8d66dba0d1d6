/** The table of declared paths. */
import { expect, test } from 'vitest'
import { maxParameter_chars, pathTable } from './path-table.ts'

const table = pathTable<string>()
const paths = ['/a', '/a/:id', '/a/all', '/a/:id/b/:name', '/a/:project/c', '/a/:id/d', '/a/:id/d.:format', '/a/all/:any/e', '/u/-/:file']
for (const path of paths) table.entryOf(path, () => path)

const found: Array<[url: string, path: string | null, ...values: string[]]> = [
  ['/a', '/a'],
  ['/a?b=/c', '/a'],
  ['/a#b', '/a'],
  ['/a/', '/a/:id', ''],
  ['/a/1', '/a/:id', '1'],
  ['/a/all', '/a/all'],
  ['/a/%61ll', '/a/all'],
  ['/a/g%2Fp/b/%E2%82%AC?x', '/a/:id/b/:name', 'g/p', '€'],
  ['/a/1%252F/c', '/a/:project/c', '1%2F'],
  ['/a/all/c', '/a/:project/c', 'all'],
  ['/a/1/d', '/a/:id/d', '1'],
  ['/a/1/d.tar.gz', '/a/:id/d.:format', '1', 'tar.gz'],
  ['/a/all/b/e', '/a/all/:any/e', 'b'],
  ['/a/all/b/f', '/a/:id/b/:name', 'all', 'f'],
  ['http://localhost:80/a/2?b', '/a/:id', '2'],
  ['/u/-/__proto__', '/u/-/:file', '__proto__'],
  ['/A', null],
  ['/', null],
  ['//a', null],
  ['/a/1/x', null],
  ['/a/1/b/2/3', null],
  ['/constructor', null],
]

test.each(found)('%s is %s', (url, path, ...values) => {
  expect(table.find(url)).toEqual(path === null ? null : { entry: path, values })
})

test('a path has one entry, whatever its parameters are named', () => {
  expect(table.entryOf('/a/:other', () => 'another')).toBe('/a/:id')
})

test('a parameter beyond the maximum is not found', () => {
  expect(table.find(`/a/${'x'.repeat(maxParameter_chars)}`)).toMatchObject({ entry: '/a/:id' })
  expect(table.find(`/a/${'x'.repeat(maxParameter_chars + 1)}`)).toBeNull()
})
