/** Paths made of names. */
import { expect, test } from 'vitest'
import { pathFromName } from './paths.ts'

test('a name becomes a path of plain letters', () => {
  expect(pathFromName('Böse Katze!')).toBe('bose-katze')
  expect(pathFromName('--a.git')).toBe('a')
})

test('a name of any length takes no time', () => {
  const started = performance.now()
  // What a name can't be any more needn't become a path that could be one.
  expect(pathFromName(`a${'-'.repeat(1_000_000)}a`).length).toBeLessThanOrEqual(256)
  expect(performance.now() - started).toBeLessThan(100)
})
