import { expect, test } from 'vitest'
import { measureComputing } from '../../test/support/run/cpu.ts'
import { matchesWildcard, rulesOf } from './wildcards.ts'

test.each([
  ['main', 'main', true],
  ['main', 'Main', false],
  ['main', 'main2', false],
  ['release/*', 'release/1', true],
  ['release/*', 'release/1/2', true],
  ['release/*', 'release/', true],
  ['release/*', 'release', false],
  ['*-stable', '11-3-stable', true],
  ['*-stable', '-stable', true],
  ['*-stable', 'x-stable-y', false],
  ['*', 'anything/at/all', true],
  ['**', 'x', true],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'acb', false],
  ['a*a', 'a', false],
  ['ab*ba', 'aba', false],
  ['a.c', 'abc', false],
  ['[a-z]', 'b', false],
  ['a?c', 'abc', false],
  ['', 'x', false],
])('the pattern %s and the name %s', (pattern, name, fits) => {
  expect(matchesWildcard(pattern, name)).toBe(fits)
})

test('a pattern made to be slow is not', () => {
  const used_ms = measureComputing()
  expect(matchesWildcard(`${'a*'.repeat(500)}b`, 'a'.repeat(1_000))).toBe(false)
  expect(matchesWildcard('*a'.repeat(500), `${'a'.repeat(1_000)}b`)).toBe(false)
  expect(used_ms()).toBeLessThan(200)
})

test('every matching rule is found once among many', () => {
  const rules = rulesOf(['main', 'm*', '*', 'x*', 'a*b'].map((name) => ({ name })))
  const names = (name: string) => rules.matching(name).map((rule) => rule.name)
  expect(names('main')).toEqual(['main', 'm*', '*'])
  expect(names('m*')).toEqual(['m*', '*'])
  expect(names('other')).toEqual(['*'])
})
