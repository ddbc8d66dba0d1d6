/** Counts the commits that each of many pushes brought, with few processes: pushes that exclude the same commit are counted together. */

import { setImmediate as turn } from 'node:timers/promises'
import { lines } from '../process/output.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import { countCommits } from './history.ts'

/** The commits that `tip` reaches and `without` doesn't; all ancestors of `tip` if that is null. */
export interface Range {
  tip: string
  without: string | null
}

export interface CountLimits {
  /** Limit of the count of each range. */
  max_count: number
  /** Ranges with no more commits than this in total are counted by one walk, otherwise each by its own. */
  max_listed?: number
}

/** Limit of steps of one walk through the graph; afterwards git counts each remaining merge. */
const maxSteps = 2_000_000
const stepsAtOnce = 20_000

/** The counts in the order of the ranges. Throws as `run` does when the signal of `repo` aborts. */
export async function countRanges(repo: Repo, ranges: Range[], { max_count, max_listed = 20_000 }: CountLimits): Promise<number[]> {
  const counts = new Map<string, number>()
  const keyOf = ({ tip, without }: Range) => `${tip} ${without}`
  for (const [without, tips] of byExclusion(ranges)) {
    const graph = tips.length > 1 ? await readGraph(repo, tips, without, max_listed) : null
    const counter = graph && graphCounter(graph, max_count)
    for (const tip of tips) {
      repo.signal?.throwIfAborted()
      const count = (await counter?.count(tip)) ?? (await countCommits(repo, tip, without, max_count))
      counts.set(keyOf({ tip, without }), Math.min(count, max_count))
    }
  }
  return ranges.map((range) => counts.get(keyOf(range)) ?? 0)
}

function byExclusion(ranges: Range[]): Map<string | null, string[]> {
  const tips = new Map<string | null, Set<string>>()
  for (const { tip, without } of ranges) tips.set(without, (tips.get(without) ?? new Set()).add(tip))
  return new Map([...tips].map(([without, found]) => [without, [...found]]))
}

/** Parents, keyed by commit. */
type Graph = Map<string, string[]>

/** Lists the commits that the tips reach and `without` doesn't; null if there are more than `max_listed`. */
async function readGraph(repo: Repo, tips: string[], without: string | null, max_listed: number): Promise<Graph | null> {
  const input = [...tips, ...(without === null ? [] : [`^${without}`]), ''].join('\n')
  const listed = lines(await runCostly(repo, ['rev-list', '--parents', `--max-count=${max_listed + 1}`, '--stdin'], { input }))
  if (listed.length > max_listed) return null
  const graph: Graph = new Map()
  for (const line of listed) {
    const [oid = '', ...parents] = line.split(' ')
    graph.set(oid, parents)
  }
  return graph
}

/** `count` returns null if the walks so far took too many steps. */
function graphCounter(graph: Graph, max_count: number): { count: (tip: string) => Promise<number | null> } {
  const known = new Map<string, number>()
  const inside = (oid: string) => (graph.get(oid) ?? []).filter((parent) => graph.has(parent))
  let steps = 0

  /** The history of a merge has to be walked, since its parents share a part of it. */
  async function countAll(merge: string): Promise<number | null> {
    const seen = new Set([merge])
    for (const oid of seen) {
      if (seen.size >= max_count) break
      steps += 1
      if (steps > maxSteps) return null
      if (steps % stepsAtOnce === 0) await turn()
      for (const parent of inside(oid)) seen.add(parent)
    }
    return Math.min(seen.size, max_count)
  }
  return {
    async count(tip) {
      const line: string[] = []
      let at: string | undefined = graph.has(tip) ? tip : undefined
      let count: number | null = 0
      // A commit with one parent has one commit more than that parent.
      while (at !== undefined) {
        const found = known.get(at)
        const parents = inside(at)
        if (found !== undefined || parents.length > 1) {
          count = found ?? (await countAll(at))
          if (count === null) return null
          known.set(at, count)
          break
        }
        line.push(at)
        at = parents[0]
      }
      for (const oid of line.reverse()) {
        count = Math.min(count + 1, max_count)
        known.set(oid, count)
      }
      return count
    },
  }
}
