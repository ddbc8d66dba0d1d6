import { expect, test } from 'vitest'
import { parseDuration } from './durations.ts'
import { matchesAny } from './glob.ts'
import { splitRefPattern } from './ref-patterns.ts'
import { finderOf } from './regex.ts'
import { expand, expandedLookup, lookupIn } from './variables.ts'

test.each([
  ['42', 42],
  ['3 mins 4 sec', 184],
  ['2h20min', 8400],
  ['6 mos 1 day', 15_638_400],
  ['47 yrs 6 mos and 4d', 1_499_104_800],
  ['3 weeks and 2 days', 1_987_200],
  ['one week', 604_800],
  ['1:30', 90],
  ['30m', 1800],
  ['7 elephants', null],
  ['', null],
  ['0', null],
  ['never', null],
  ['day', null],
  [`${'9'.repeat(90)} years`, null],
])('the duration %j is %j seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds)
})

test.each([
  ['Dockerfile', 'Dockerfile', true],
  ['Dockerfile', 'docker/Dockerfile', false],
  ['docker/scripts/*', 'docker/scripts/a.sh', true],
  ['docker/scripts/*', 'docker/scripts/deep/a.sh', false],
  ['dockerfiles/**/*', 'dockerfiles/a', true],
  ['dockerfiles/**/*', 'dockerfiles/a/b/c', true],
  ['more_scripts/*.{rb,py,sh}', 'more_scripts/a.py', true],
  ['more_scripts/*.{rb,py,sh}', 'more_scripts/a.js', false],
  ['**/*.md', 'README.md', true],
  ['**/*.md', 'a/b/README.md', true],
  ['*.md', '.hidden.md', true],
  ['[a-c].txt', 'b.txt', true],
  ['[^a-c].txt', 'b.txt', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['\\*', '*', true],
  ['[', '[', true],
  ['{a', 'a', true],
])('the glob %j and the path %j: %j', (glob, path, matches) => {
  expect(matchesAny([glob], [path])).toBe(matches)
})

test('no glob takes long, and beyond 50,000 comparisons it counts as a match', () => {
  const path = `${'a'.repeat(2_000)}b`
  const started = performance.now()
  expect(matchesAny([`${'*a'.repeat(400)}c`], [path])).toBe(false)
  expect(matchesAny([`{${'a,'.repeat(400)}}`], [path])).toBe(false)
  expect(performance.now() - started).toBeLessThan(2_000)
  expect(
    matchesAny(
      ['*.nothing'],
      Array.from({ length: 60_000 }, (_, at) => `file ${at}`),
    ),
  ).toBe(true)
})

test('patterns are searched for, with their flags, and no pattern explodes', () => {
  expect(finderOf('/^v[0-9]+/')?.('v12')).toBe(true)
  expect(finderOf('/MAIN/i')?.('the main branch')).toBe(true)
  expect(finderOf('/feature\\/x/')?.('feature/x')).toBe(true)
  expect(finderOf('/\\Av[0-9]+\\Z/')?.('v12')).toBe(true)
  expect(finderOf('/\\Av[0-9]+\\Z/')?.('v12-rc')).toBe(false)
  expect(finderOf('/a\\\\Z/')?.('a\\Z')).toBe(true)
  expect(finderOf('/(a+)+$/')?.(`${'a'.repeat(50_000)}b`)).toBe(false)
  expect(finderOf('/(?=a)/')).toBeNull()
  expect(finderOf('no slashes')).toBeNull()
  expect(finderOf('/((a{1000}){1000}){1000}/')).toBeNull()
})

test('a ref may be limited to a project', () => {
  expect(splitRefPattern('main@group/project')).toEqual({ ref: 'main', project: 'group/project' })
  expect(splitRefPattern('/^v@/i@group/project')).toEqual({ ref: '/^v@/i', project: 'group/project' })
  expect(splitRefPattern('/^v/')).toEqual({ ref: '/^v/', project: null })
})

test('variables in texts are replaced once, also where values hold variables, and circles end', () => {
  const list = [
    { key: 'A', value: 'a-$B', raw: false },
    { key: 'B', value: 'b', raw: false },
    { key: 'RAW', value: '$B', raw: true },
    { key: 'X', value: 'x$Y', raw: false },
    { key: 'Y', value: 'y$X', raw: false },
  ]
  const lookup = expandedLookup(lookupIn(list))
  const braced = '$' + '{B}'
  expect(expand(`$A ${braced} %B% $RAW $UNKNOWN. $$A 100%`, lookup)).toBe('a-b b b $B . $$A 100%')
  expect(expand('$X', lookup)).toBe('xyx$Y')
})

test('variables that double each other do not grow without end', () => {
  const list = Array.from({ length: 60 }, (_, at) => ({ key: `V${at}`, value: `$V${at + 1}$V${at + 1}`, raw: false }))
  const started = performance.now()
  const lookup = expandedLookup(lookupIn([...list, { key: 'V60', value: 'xxxxxxxx', raw: false }]))
  expect((lookup('V0') ?? '').length).toBeLessThan(200_000)
  expect(performance.now() - started).toBeLessThan(1_000)
})
