/** Words within lines: what is marked, and that it takes little time whatever the lines hold. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordChanges } from './words.ts'

const marked = (before: string, after: string) => {
  const found = wordChanges(before, after)
  return found && [found.old.map(([from, to]) => before.slice(from, to)), found.new.map(([from, to]) => after.slice(from, to))]
}

test('whole words are marked, not letters', () => {
  expect(marked('const one = 1', 'const none = 1')).toEqual([['one'], ['none']])
  expect(marked('a(b, c)', 'a(b, d, c)')).toEqual([[], ['d, ']])
  expect(marked('the old way of it', 'the new way of them')).toEqual([
    ['old', 'it'],
    ['new', 'them'],
  ])
})

test('lines that have little in common are not marked', () => {
  expect(marked('return null', 'for (const a of b) c()')).toBe(null)
})

test('marks lie within the lines, in order, and what they leave is the same on both sides', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '(', 'é', '😀', 'ab'), maxLength: 40 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const found = wordChanges(before, after)
      if (!found) return
      const left = (line: string, ranges: ReadonlyArray<readonly [number, number]>) => {
        let [out, at] = ['', 0]
        for (const [from, to] of ranges) {
          expect(from).toBeGreaterThanOrEqual(at)
          expect(to).toBeLessThanOrEqual(line.length)
          out += line.slice(at, from)
          at = to
        }
        return out + line.slice(at)
      }
      expect(left(before, found.old)).toBe(left(after, found.new))
    }),
    { numRuns: 500 },
  )
})

test('long lines take time in proportion to their length', () => {
  const long = (seed: string, words: number) => Array.from({ length: words }, (_, index) => `${seed}${index}`).join(' ')
  const cpu = (work: () => void) => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
  const pairs: Array<[string, string]> = [
    ['x'.repeat(1_000_000), 'y'.repeat(1_000_000)],
    [`${'ab '.repeat(300_000)}`, `${'ab '.repeat(300_000)}c`],
    [long('a', 100_000), long('b', 100_000)],
    [long('a', 600), long('b', 600)],
  ]
  for (const [before, after] of pairs) expect(cpu(() => wordChanges(before, after))).toBeLessThan(1_000)
})
