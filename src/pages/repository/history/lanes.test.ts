/** The lanes of a graph of commits: which lines it draws, whatever the shape of the history. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { childrenFirst, type GraphRow, graphOf, type Node } from './lanes.ts'

/** `m: a b` is the commit `m` with the parents `a` and `b`. */
const nodesOf = (...lines: string[]): Node[] =>
  lines.map((line) => {
    const [oid = '', parents = ''] = line.split(':')
    return { oid, parents: parents.split(' ').filter(Boolean) }
  })
const drawn = (nodes: Node[], open?: string[]) => {
  const { rows, width, open: left } = graphOf(nodes, open)
  return {
    rows: rows.map(({ oid, lane, edges }) => `${oid}@${lane} ${edges.map(({ from, to }) => `${from}-${to}`).join(' ')}`.trim()),
    width,
    left,
  }
}

test('a line of commits is one lane, and a root ends it', () => {
  expect(drawn(nodesOf('c:b', 'b:a', 'a:'))).toEqual({ rows: ['c@0 0-0', 'b@0 0-0', 'a@0'], width: 1, left: [] })
})

test('a merge opens a lane for its second parent, which ends where the branches began', () => {
  expect(drawn(nodesOf('m:a b', 'b:r', 'a:r', 'r:'))).toEqual({
    rows: ['m@0 0-0 0-1', 'b@1 0-0 1-1', 'a@0 1-1 0-1', 'r@1'],
    width: 2,
    left: [],
  })
})

test('an octopus merge has a lane for each parent', () => {
  expect(drawn(nodesOf('m:a b c', 'a:r', 'b:r', 'c:r', 'r:'))).toEqual({
    rows: ['m@0 0-0 0-1 0-2', 'a@0 1-1 2-2 0-0', 'b@1 0-0 2-2 1-0', 'c@2 0-0 2-0', 'r@0'],
    width: 3,
    left: [],
  })
})

test('two branches merged into each other cross', () => {
  expect(drawn(nodesOf('x:a b', 'y:b a', 'a:r', 'b:r', 'r:')).rows).toEqual([
    'x@0 0-0 0-1',
    'y@2 0-0 1-1 2-1 2-0',
    'a@0 1-1 0-0',
    'b@1 0-0 1-0',
    'r@0',
  ])
})

test('histories with nothing in common stand beside each other', () => {
  expect(drawn(nodesOf('m:a b', 'a:', 'b:', 'z:'))).toEqual({ rows: ['m@0 0-0 0-1', 'a@0 1-1', 'b@1', 'z@0'], width: 2, left: [] })
})

test('a page goes on in the lanes of the one before', () => {
  const all = nodesOf('m:a b', 'b:r', 'a:r', 'r:')
  const first = graphOf(all.slice(0, 2))
  const second = graphOf(all.slice(2), first.open)
  expect([...first.rows, ...second.rows]).toEqual(graphOf(all).rows)
})

test('a parent that came before its child is moved behind it; other commits keep their places', () => {
  expect(childrenFirst(nodesOf('a:r', 'm:a b', 'b:r', 'x:', 'r:')).map(({ oid }) => oid)).toEqual(['m', 'a', 'b', 'x', 'r'])
  expect(childrenFirst(nodesOf('c:b', 'b:a', 'a:')).map(({ oid }) => oid)).toEqual(['c', 'b', 'a'])
})

/** Followed down its lines, the commits that a commit leads to. */
function parentsReached(rows: readonly GraphRow[], index: number, lane: number): Set<string> {
  const reached = new Set<string>()
  for (const { to } of rows[index]?.edges.filter(({ from }) => from === lane) ?? []) {
    const below = rows.slice(index + 1).find((row) => row.lane === to || !row.edges.some((edge) => edge.from === to && edge.to === to))
    if (below?.lane === to) reached.add(below.oid)
  }
  return reached
}

test('of any history, every line leads from a commit to its parent, and no two commits share a place', () => {
  const histories = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 30 }).map((all) =>
    all.map((parents, index): Node => {
      const later = all.length - index - 1
      return { oid: `${index}`, parents: later === 0 ? [] : [...new Set(parents.map((parent) => `${index + 1 + (parent % later)}`))] }
    }),
  )
  fc.assert(
    fc.property(histories, fc.infiniteStream(fc.nat()), (nodes, random) => {
      const shuffled = [...nodes].sort(() => ((random.next().value as number) % 3) - 1)
      const ordered = childrenFirst(shuffled)
      expect(new Set(ordered.map(({ oid }) => oid)).size).toBe(nodes.length)
      const place = new Map(ordered.map(({ oid }, index) => [oid, index]))
      for (const { oid, parents } of ordered)
        for (const parent of parents) expect(place.get(parent)).toBeGreaterThan(place.get(oid) as number)
      const { rows, open } = graphOf(ordered)
      expect(open).toEqual([])
      for (const [index, { oid, lane }] of rows.entries()) {
        const reached = parentsReached(rows, index, lane)
        const parents = ordered.find((node) => node.oid === oid)?.parents ?? []
        expect([oid, [...reached].sort()]).toEqual([oid, [...parents].sort()])
      }
    }),
    { numRuns: 100 },
  )
})

test('commits with thousands of parents are drawn in bounded time and space', () => {
  const parents = Array.from({ length: 5_000 }, (_, index) => `p${index}`)
  const nodes = Array.from({ length: 100 }, (_, index) => ({ oid: `c${index}`, parents: [`c${index + 1}`, ...parents] }))
  const { rows, open } = graphOf(nodes)
  expect(rows.reduce((sum, { edges }) => sum + edges.length, 0)).toBeLessThan(40_000)
  expect(rows.every(({ lane }) => lane === 0)).toBe(true)
  // More than a next page can begin with (cursor.ts).
  expect(open.length).toBeGreaterThan(120)
})
