/** Computes the positions of commits and lines in a graph from the commits alone. */

/** A commit of the graph. */
export interface Node {
  oid: string
  parents: readonly string[]
}

/** A line from a row to the next: from one lane to another. */
export interface Edge {
  from: number
  to: number
}

export interface GraphRow {
  oid: string
  /** The lane of the commit, from 0. */
  lane: number
  /** To the row below. Edges that don't start at the commit pass it. */
  edges: Edge[]
}

export interface Graph {
  rows: GraphRow[]
  /** The maximum number of lanes in any row. */
  width: number
  /** The commit that each lane leads to below the last row, left to right: where a next part starts. */
  open: string[]
}

/** In a wider graph lanes could not be distinguished: further ones share the last. */
export const maxLanes = 30

/**
 * More lanes than a next page could start with (cursor.ts): in such a wide history, further parents get none. Histories are untrusted
 * input.
 */
const maxTracked = 150

/**
 * Sorts commits so that no parent comes before its children, otherwise in the given order: by date, as clocks may be wrong, and commits of
 * the same second have no order. Linear.
 */
export function childrenFirst<T extends Node>(nodes: readonly T[]): T[] {
  const places = new Map(nodes.map(({ oid }, index) => [oid, index]))
  const children = nodes.map(() => 0)
  const parentsOf = nodes.map(({ parents }) => [...new Set(parents)].flatMap((parent) => places.get(parent) ?? []))
  for (const parents of parentsOf) for (const parent of parents) children[parent] = (children[parent] ?? 0) + 1
  const ordered: T[] = []
  const placed = new Set<number>()
  // A stack: a parent that waited for its last child comes right after it, if its date has been reached.
  const place = (start: number) => {
    const ready = [start]
    for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
      placed.add(at)
      ordered.push(nodes[at] as T)
      for (const parent of parentsOf[at] ?? []) {
        children[parent] = (children[parent] ?? 0) - 1
        if (children[parent] === 0 && parent < start) ready.push(parent)
      }
    }
  }
  for (const index of nodes.keys()) if (children[index] === 0 && !placed.has(index)) place(index)
  return ordered
}

/**
 * The rows in the order of the commits, children before parents; a commit with a wrong date starts a lane of its own. Linear in commits and
 * lanes.
 * @param open the commits that lanes from above lead to
 */
export function graphOf(nodes: readonly Node[], open: readonly string[] = []): Graph {
  let lanes: Array<string | null> = [...open]
  const seen = new Set<string>()
  const rows: GraphRow[] = []
  let width = lanes.length
  for (const { oid, parents } of nodes) {
    seen.add(oid)
    const found = lanes.indexOf(oid)
    const lane = found >= 0 ? found : freeLane(lanes)
    const above = [...lanes]
    above[lane] = oid
    // Lines to this commit end here, and its first parent takes over its lane.
    const below: Array<string | null> = above.map((wanted) => (wanted === oid ? null : wanted))
    const targets: number[] = []
    for (const [index, parent] of [...new Set(parents.slice(0, maxTracked))].entries()) {
      if (seen.has(parent)) continue
      const at = laneFor(parent, below, index === 0 ? lane : null)
      if (at >= maxTracked) break
      below[at] = parent
      targets.push(at)
    }
    while (below.length > 0 && below.at(-1) === null) below.pop()
    width = Math.max(width, above.length, below.length)
    const passing = above.flatMap((wanted, index) =>
      wanted !== null && wanted !== oid && below[index] === wanted ? [{ from: index, to: index }] : [],
    )
    rows.push({ oid, lane, edges: [...passing, ...targets.map((to) => ({ from: lane, to }))] })
    lanes = below
  }
  return { rows, width, open: lanes.filter((wanted) => wanted !== null) }
}

/** The lane that leads to this commit already, or else a free one: `preferred`, if that is free. */
function laneFor(oid: string, lanes: ReadonlyArray<string | null>, preferred: number | null): number {
  const known = lanes.indexOf(oid)
  if (known >= 0) return known
  return preferred !== null && lanes[preferred] === null ? preferred : freeLane(lanes)
}

function freeLane(lanes: ReadonlyArray<string | null>): number {
  const free = lanes.indexOf(null)
  return free < 0 ? lanes.length : free
}
