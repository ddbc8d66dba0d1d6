/** Which pages an address fits. */
import { expect, test } from 'vitest'
import { fitsOf, parsePattern, segmentsIn } from './patterns.ts'

function fits(pattern: string, path: string) {
  return fitsOf(parsePattern(pattern), segmentsIn(path) ?? [])
}

test('the path of a project has two segments or more, and every split that fits is found', () => {
  expect(fits('/:project', '/group')).toEqual([])
  expect(fits('/:project', '/a/b')).toEqual([{ path: 'a/b', params: {} }])
  expect(fits('/:project/tree/*', '/a/b/tree/main/src')).toEqual([{ path: 'a/b', params: { '*': 'main/src' } }])
  expect(fits('/:project/tree/*', '/a/b/tree/c/tree/main')).toEqual([
    { path: 'a/b', params: { '*': 'c/tree/main' } },
    { path: 'a/b/tree/c', params: { '*': 'main' } },
  ])
})

test('a rest has at least one segment, and a named one exactly one', () => {
  expect(fits('/:project/tree/*', '/a/b/tree')).toEqual([])
  expect(fits('/:project/commit/:sha', '/a/b/commit/abc')).toEqual([{ path: 'a/b', params: { sha: 'abc' } }])
  expect(fits('/:project/commit/:sha', '/a/b/commit/abc/def')).toEqual([])
  expect(fits('/:project/commit/:sha', '/a/b/commit//')).toEqual([])
})

test('words before a space, pages without one, and a slash at the end', () => {
  expect(fits('/groups/:group', '/groups/a/b/')).toEqual([{ path: 'a/b', params: {} }])
  expect(fits('/groups/:group', '/group/a')).toEqual([])
  expect(fits('/:user', '/ada')).toEqual([{ path: 'ada', params: {} }])
  expect(fits('/:user', '/ada/notes')).toEqual([])
  expect(fits('/', '/')).toEqual([{ path: null, params: {} }])
  expect(fits('/', '/x')).toEqual([])
  expect(fits('/users/sign_in', '/users/sign_in')).toEqual([{ path: null, params: {} }])
})

test('what a path or a rest ends in is no part of it', () => {
  expect(fits('/:project.atom', '/a/b.atom')).toEqual([{ path: 'a/b', params: {} }])
  expect(fits('/:project.atom', '/a/b')).toEqual([])
  expect(fits('/:user.keys', '/ada.keys')).toEqual([{ path: 'ada', params: {} }])
  expect(fits('/:project/commits/*.atom', '/a/b/commits/feature/one.atom')).toEqual([{ path: 'a/b', params: { '*': 'feature/one' } }])
  for (const address of ['/a/b/commits/main', '/a/b/commits/.atom', '/a/b/commits'])
    expect(fits('/:project/commits/*.atom', address)).toEqual([])
})

test('segments are decoded each by itself: an encoded slash belongs to its segment', () => {
  expect(segmentsIn('/a/b/tree/feature%2Fone/%C3%BC')).toEqual(['a', 'b', 'tree', 'feature/one', 'ü'])
  for (const malformed of ['/%', '/%FF', '/a%00b']) expect([malformed, segmentsIn(malformed)]).toEqual([malformed, null])
})

test('a page has no ending that names may have', () => {
  expect(() => parsePattern('/:user.txt')).toThrow('/:user.txt ends in what names may end in')
})
