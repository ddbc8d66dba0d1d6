import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { parseDuration } from './durations.ts'
import { createPatterns, PatternsTooCostly } from './patterns.ts'
import { splitRefPattern } from './ref-patterns.ts'
import { compileRegex, isRegex } from './regex.ts'
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
  ['1 constructor', null],
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
  expect(createPatterns().matchesAny([glob], [path])).toBe(matches)
})

test('no glob takes long, and beyond 50,000 comparisons it counts as a match', () => {
  const path = `${'a'.repeat(2_000)}b`
  const used_ms = measureComputing()
  expect(createPatterns().matchesAny([`${'*a'.repeat(400)}c`], [path])).toBe(false)
  expect(createPatterns().matchesAny([`{${'a,'.repeat(400)}}`], [path])).toBe(false)
  expect(used_ms()).toBeLessThan(2_000)
  expect(
    createPatterns().matchesAny(
      ['*.nothing'],
      Array.from({ length: 60_000 }, (_, at) => `file ${at}`),
    ),
  ).toBe(true)
})

test('patterns are searched for, with their flags, and no pattern explodes', () => {
  const { isFound, accepts } = createPatterns()
  expect(isFound('/^v[0-9]+/', 'v12')).toBe(true)
  expect(isFound('/MAIN/i', 'the main branch')).toBe(true)
  expect(isFound('/feature\\/x/', 'feature/x')).toBe(true)
  expect(isFound('/\\Av[0-9]+\\Z/', 'v12')).toBe(true)
  expect(isFound('/\\Av[0-9]+\\Z/', 'v12-rc')).toBe(false)
  expect(isFound('/a\\\\Z/', 'a\\Z')).toBe(true)
  expect(isFound('/(a+)+$/', `${'a'.repeat(50_000)}b`)).toBe(false)
  expect(accepts('/(?=a)/')).toBe(false)
  expect(accepts('no slashes')).toBe(false)
  expect(accepts('/((a{1000}){1000}){1000}/')).toBe(false)
})

test.each(['(a?){1000}', '(a?){1000}'.repeat(90), '((a{30}){30}){30}', '(?:[a-z_.-]{1,30}[0-9]){90}', '\\pL{900}(x|y){900}'])(
  'the pattern %j is refused for what it compiles to',
  (source) => {
    expect(isRegex(source)).toBe(false)
    expect(compileRegex(source)).toBeNull()
    expect(createPatterns().accepts(`/${source}/`)).toBe(false)
  },
)

test.each([
  '^v\\d{1,3}\\.\\d{1,3}(-rc\\d+)?$',
  '[A-Z]{2,10}-\\d{1,6}',
  '^(feature|fix)\\/[a-z0-9._-]{1,200}$',
  '\\Q{1000}{1000}\\E',
  '[{1000}]{9}',
])('the pattern %j is none of them', (source) => {
  expect(isRegex(source)).toBe(true)
})

test('all patterns of a file together are bounded in what they compile to and what they compare', () => {
  const many = createPatterns({ compiled: 1_000, compared: 1_000_000 })
  expect(() => Array.from({ length: 1_000 }, (_, at) => many.accepts(`/${at}/`))).toThrow(PatternsTooCostly)
  const { isFound, matching, matchesAny } = createPatterns({ compiled: 1_000, compared: 100_000 })
  // Repeating a question costs nothing, as its answer is cached.
  for (let at = 0; at < 1_000; at++) expect(isFound('/b/', 'a'.repeat(1_000))).toBe(false)
  expect(() => Array.from({ length: 1_000 }, (_, at) => isFound('/b/', 'a'.repeat(1_000) + at))).toThrow(PatternsTooCostly)
  expect(() => matching('**/*.x', ['a/b'])).toThrow(PatternsTooCostly)
  expect(matchesAny(['**/*.x'], ['a/b'])).toBe(true)
})

test('the pattern of a ref may end in the project that it is for', () => {
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

test('a text that its variables would make too long stays as it is, and is never built', () => {
  let lookups = 0
  const lookup = () => {
    lookups += 1
    return 'x'.repeat(60_000)
  }
  const text = '$A'.repeat(500_000)
  expect(expand(text, lookup)).toBe(text)
  expect(lookups).toBeLessThan(10)
})

test('variables that double each other do not grow without end', () => {
  const list = Array.from({ length: 60 }, (_, at) => ({ key: `V${at}`, value: `$V${at + 1}$V${at + 1}`, raw: false }))
  const used_ms = measureComputing()
  const lookup = expandedLookup(lookupIn([...list, { key: 'V60', value: 'xxxxxxxx', raw: false }]))
  expect((lookup('V0') ?? '').length).toBeLessThan(200_000)
  expect(used_ms()).toBeLessThan(1_000)
})
