/** Paths made of names. */
import { expect, test } from 'vitest'
import { pathError, pathFromName } from './paths.ts'

test.each([
  ['Böse Katze!', 'bose-katze'],
  ['Straße -- Ærø, Łódź', 'strasse-aero-lodz'],
  ['--a.git', 'a-git'],
  ['Release 1.2_beta', 'release-1-2_beta'],
  ['文件 😀', ''],
])('the name %s becomes the path %j, of plain letters', (name, path) => {
  expect(pathFromName(name)).toBe(path)
})

test('what would be the address of a page is no path: `/groups/new` creates a group', () => {
  expect(pathError('New', 'namespace', null)).toBe('New is a reserved name')
  expect(pathError('news', 'namespace', null)).toBe(null)
})

test('a name of any length is checked quickly', () => {
  const started = performance.now()
  // What a name can't be any more needn't become a path that could be one.
  expect(pathFromName(`a${'-'.repeat(1_000_000)}a`).length).toBeLessThanOrEqual(256)
  expect(performance.now() - started).toBeLessThan(100)
})
