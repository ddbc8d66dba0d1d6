/** Paths made of names. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { fileEndings, pathError, pathFromName } from './paths.ts'

test.each([
  ['Böse Katze!', 'bose-katze'],
  ['Straße -- Ærø, Łódź', 'strasse-aero-lodz'],
  ['--a.git', 'a-git'],
  ['Release 1.2_beta', 'release-1-2_beta'],
  ['文件 😀', ''],
])('the name %s becomes the path %j, of plain letters', (name, path) => {
  expect(pathFromName(name)).toBe(path)
})

test('the address of a page can’t be a path: `/groups/new` creates a group', () => {
  expect(pathError('New', 'namespace', null)).toBe('New is a reserved name')
  expect(pathError('news', 'namespace', null)).toBe(null)
})

test('no path ends like the address of a file, of any kind and at any level', () => {
  for (const ending of fileEndings.flatMap((one) => [one, one.toUpperCase()])) {
    for (const [kind, parent] of [
      ['namespace', null],
      ['namespace', 'a'],
      ['project', 'a'],
    ] as const)
      expect([ending, pathError(`ada.${ending}`, kind, parent)]).toEqual([ending, expect.stringMatching(/end in '\./)])
  }
  for (const plain of ['ada.keys-2', 'keys', 'ada.keysmith', 'next.js', 'ada.com']) expect(pathError(plain, 'namespace', null)).toBe(null)
})

test('a name of any length is checked quickly', () => {
  const used_ms = measureComputing()
  // The part of a name beyond the limit is cut before the slow expressions run.
  expect(pathFromName(`a${'-'.repeat(1_000_000)}a`).length).toBeLessThanOrEqual(256)
  expect(used_ms()).toBeLessThan(100)
})
