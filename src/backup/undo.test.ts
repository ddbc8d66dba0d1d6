/** Moves that happened after a snapshot are undone, so that each ref is found where it was. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Move, undo } from './undo.ts'

const moves = (...pairs: Array<[string | null, string | null]>): Move[] => pairs.map(([before, after]) => ({ before, after }))

test.each<[string, string | null, Move[], string | null]>([
  ['nothing was pushed', 'a', [], 'a'],
  ['one push', 'b', moves(['a', 'b']), 'a'],
  ['several', 'd', moves(['a', 'b'], ['b', 'c'], ['c', 'd']), 'a'],
  ['it was created', 'b', moves([null, 'a'], ['a', 'b']), null],
  ['it was deleted', null, moves(['a', null]), 'a'],
  ['deleted and created anew', 'b', moves(['a', null], [null, 'b']), 'a'],
  ['forced there and back', 'a', moves(['a', 'b'], ['b', 'a']), 'a'],
  ['there and back, read in the middle', 'b', moves(['a', 'b'], ['b', 'a']), 'a'],
  ['pushed after it was read', 'a', moves(['a', 'b'], ['b', 'c']), 'a'],
  ['back to where it was when it was read', 'b', moves(['a', 'b'], ['b', 'c'], ['c', 'b']), 'a'],
  ['recorded in another order', 'd', moves(['c', 'd'], ['a', 'b'], ['b', 'c']), 'a'],
  ['one that was made before the snapshot, and recorded after one that is in it', 'd', moves(['a', 'b'], ['c', 'd']), 'c'],
])('%s', (_, now, since, before) => {
  expect(undo(now, since)).toBe(before)
})

test('any history, cut anywhere, read anywhere after that', () => {
  const place = fc.constantFrom('a', 'b', 'c', null)
  const history = fc.array(place, { minLength: 1, maxLength: 12 }).map((all) => all.filter((one, index) => one !== all[index - 1]))
  fc.assert(
    fc.property(history, fc.nat(11), fc.nat(11), (states, one, other) => {
      const [snapshot, read] = [Math.min(one, other), Math.max(one, other)].map((at) => Math.min(at, states.length - 1)) as [number, number]
      const since = states.slice(snapshot + 1).map((after, index) => ({ before: states[snapshot + index] ?? null, after }))
      return undo(states[read] ?? null, since) === states[snapshot]
    }),
    { numRuns: 2_000 },
  )
})
