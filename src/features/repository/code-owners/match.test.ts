/** Which entry of a CODEOWNERS file applies: examples, random files against a slow model, and what the largest take. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { matchesGlob } from '../../../ci/text/glob.ts'
import { globOf, ownersFinder, TooMuchToCompare } from './match.ts'
import { type CodeOwners, parseCodeOwners } from './parse.ts'

const ownersIn = (text: string, path: string) =>
  ownersFinder(parseCodeOwners(text))
    .ownersOf(path)
    .map(({ entry }) => entry.owners.join(' '))

test.each([
  ['* @a', 'x/y.txt', ['@a']],
  ['README.md @a', 'deep/README.md', ['@a']],
  ['/README.md @a', 'deep/README.md', []],
  ['docs/ @a', 'x/docs/y/z.md', ['@a']],
  ['/docs/ @a', 'x/docs/z.md', []],
  ['/docs/* @a', 'docs/y/z.md', []],
  ['/docs/**/*.md @a', 'docs/y/z.md', ['@a']],
  ['*.rb @a\napp/ @b', 'app/x.rb', ['@b']],
  ['app/ @b\n*.rb @a', 'app/x.rb', ['@a']],
  ['*.tar.gz @a', 'x.tar.gz', ['@a']],
  ['a\\ b/ @a', 'a b/c', ['@a']],
  ['/\\#odd @a', '#odd', ['@a']],
  ['* @a\n!*.lock', 'yarn.lock', []],
  ['!*.lock\n* @a', 'yarn.lock', []],
  ['[One]\n* @a\n[Two]\n* @b\n!x', 'x', ['@a']],
  ['* @a\n/secret', 'secret', []],
  ['[One] @default\n/a\n/b @b', 'a', ['@default']],
])('%j gives %s to %j', (text, path, owners) => {
  expect(ownersIn(text, path)).toEqual(owners)
})

/** Numbers from a seed, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Every entry is tried, one after another. */
function slowly({ sections }: CodeOwners, path: string): number[] {
  return sections.flatMap(({ entries, exclusions }) => {
    const isMatch = ({ pattern }: { pattern: string }) => matchesGlob(globOf(pattern))(path)
    if (exclusions.some(isMatch)) return []
    const last = entries.filter(isMatch).at(-1)
    return last && last.owners.length > 0 ? [last.line] : []
  })
}

test('of hundreds of random files each path has the owners that a slow search finds', () => {
  const draw = numbers(7)
  const pick = <T>(from: readonly T[]) => from[draw(from.length)] as T
  const names = ['a', 'b', 'ab', 'a.x', 'b.x', 'x.y.x']
  const part = () => pick([...names, '*', '**', 'a*', '*.x', '*b', '?'])
  const pattern = () => `${pick(['', '', '!'])}${pick(['', '/'])}${Array.from({ length: 1 + draw(3) }, part).join('/')}${pick(['', '/'])}`
  const line = () => (draw(6) === 0 ? `[S${draw(3)}]` : `${pattern()}${pick([' @a', ' @b @c', ''])}`)
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 12 }, line).join('\n')
    const owners = parseCodeOwners(text)
    const finder = ownersFinder(owners)
    for (let one = 0; one < 12; one += 1) {
      const path = Array.from({ length: 1 + draw(4) }, () => pick(names)).join('/')
      expect([text, path, finder.ownersOf(path).map(({ entry }) => entry.line)]).toEqual([text, path, slowly(owners, path)])
    }
  }
})

test('ten thousand lines and twenty thousand files take less than 100 ms', () => {
  const forms = [(n: number) => `/src/module${n}/ @o${n}`, (n: number) => `file${n}.e${n} @o${n}`, (n: number) => `*.e${n} @o${n}`]
  const text = Array.from({ length: 10_000 }, (_, n) => (forms[n % 3] as (n: number) => string)(n)).join('\n')
  const finder = ownersFinder(parseCodeOwners(text))
  const paths = Array.from({ length: 20_000 }, (_, n) => `src/module${n}/deep/file${n}.e${n}`)
  const used_ms = measureComputing()
  let owned = 0
  for (const path of paths) owned += finder.ownersOf(path).length
  expect(owned).toBe(10_000)
  expect(used_ms()).toBeLessThan(100)
})

const lines = (count: number, line: (n: number) => string) => `* @a\n${Array.from({ length: count }, (_, n) => line(n)).join('\n')}`

type TooMuch = [what: string, text: string, pathOf: (n: number) => string]
const tooMuch: TooMuch[] = [
  ['wildcards that nothing narrows', lines(1_000, (n) => `*a*${n}?* @a`), (n) => `b${n}`],
  ['exclusions of which none has the ending of a path', lines(100_000, (n) => `!*a${n}`), (n) => `b${n}`],
  ['expressions of the largest size', lines(5_000, (n) => `!${'*a'.repeat(90)}?${n}*`), (n: number) => `${'a'.repeat(3_000)}${n}`],
  ['sections', lines(50_000, (n) => `[${n}]\n*.e @a`), (n) => `b${n}`],
  ['folders within folders', lines(10_000, (n) => `${'b/'.repeat(18)}${n}/ @a`), (n: number) => `${'b/'.repeat(1_500)}${n}`],
]

const isGivenUp = (...[, text, pathOf]: TooMuch) => {
  const owners = parseCodeOwners(text)
  const used_ms = measureComputing()
  const all = () => {
    const finder = ownersFinder(owners)
    for (let n = 0; n < 500_000; n += 1) finder.ownersOf(pathOf(n))
  }
  expect(all).toThrow(TooMuchToCompare)
  expect(used_ms()).toBeLessThan(1_000)
}

test('one long pattern is given up soon', () => {
  const used_ms = measureComputing()
  expect(() => ownersFinder(parseCodeOwners(`${'a'.repeat(200_000)}* @a`)).ownersOf('b')).toThrow(TooMuchToCompare)
  expect(used_ms()).toBeLessThan(1_000)
})

test.each(tooMuch.slice(0, 2))('a file and paths that take too much are given up soon: %s', isGivenUp)

test.each(tooMuch.slice(2))('so are %s', inFullRun('One second of processor. They count as the others do.'), isGivenUp)
