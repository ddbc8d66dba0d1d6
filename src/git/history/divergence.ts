/**
 * How far branches are ahead of and behind a commit, by one walk through the graph for all branches. Each commit has a bit for every tip
 * that reaches it, and passes its bits on to its parents. One process per branch would walk the same history repeatedly, and
 * `%(ahead-behind:…)` of for-each-ref needs git 2.41.
 */
import { gitFailure } from '../process/git-failure.ts'
import { type Repo, startIn } from '../repository/repository.ts'

/** In commits. */
export interface Divergence {
  ahead: number
  behind: number
}

/** Maximum number of tips per walk: each needs a bit. */
export const maxTips = 30

export interface DivergenceLimits {
  max_ms: number
  max_commits: number
}

const usual: DivergenceLimits = { max_ms: 3_000, max_commits: 300_000 }
const deadline_ms = 15_000
/** How long the cache remembers that counting took too long. */
const tooFar_ms = 10 * 60_000

/**
 * Distance of each tip from `base`, keyed by tip; null if the histories part so far back that counting takes too long. One process for all
 * tips that aren't cached. Throws as `Limiter.run` does.
 * @param tips commit ids, at most `maxTips` different ones
 */
export async function divergencesFrom(
  repo: Repo,
  base: string,
  tips: readonly string[],
  limits = usual,
): Promise<Map<string, Divergence | null>> {
  const { cache } = repo.git
  const keyOf = (tip: string) => `${repo.dir} divergence ${base} ${tip}`
  const found = new Map<string, Divergence | null>()
  for (const tip of tips) {
    const known = tip === base ? { ahead: 0, behind: 0 } : cache.get<Divergence | 'too far'>(keyOf(tip))
    if (known !== undefined) found.set(tip, known === 'too far' ? null : known)
  }
  const unknown = [...new Set(tips)].filter((tip) => !found.has(tip)).slice(0, maxTips)
  if (unknown.length === 0) return found
  const counted = await repo.git.costly.run(repo, () => walk(repo, base, unknown, limits))
  for (const [index, tip] of unknown.entries()) {
    const divergence = counted[index] ?? null
    if (divergence) cache.set(keyOf(tip), divergence, 60)
    else cache.set(keyOf(tip), 'too far', 20, tooFar_ms)
    found.set(tip, divergence)
  }
  return found
}

async function walk(
  repo: Repo,
  base: string,
  tips: string[],
  { max_ms, max_commits }: DivergenceLimits,
): Promise<Array<Divergence | null>> {
  const args = ['rev-list', '--topo-order', '--parents', `--max-count=${max_commits + 1}`, '--stdin']
  const child = startIn(repo, args, { deadline_ms })
  child.stdin.end(`${[base, ...tips].join('\n')}\n`)
  const counter = divergenceCounter(base, tips)
  const ends_at = performance.now() + max_ms
  let commits = 0
  let rest = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      commits += 1
      if (commits > max_commits || counter.take(line)) break
    }
    if (!counter.isDone() && commits <= max_commits && performance.now() < ends_at) continue
    child.kill()
    return counter.result()
  }
  const { code, stderr } = await child.finished
  if (code !== 0) throw gitFailure(args, code, stderr)
  return counter.result()
}

interface Counter {
  /** Takes a line of `rev-list --topo-order --parents`. Returns true if all commits that follow are common to all tips. */
  take: (line: string) => boolean
  isDone: () => boolean
  /** Null for tips whose count isn't complete. */
  result: () => Array<Divergence | null>
}

/**
 * Each commit has the set of tips (and the base) that reach it, kept as bits, and passes it on to its parents. Only commits between those
 * visited and those pending are kept, so memory is proportional to the width of the graph, not its length.
 */
export function divergenceCounter(base: string, tips: readonly string[]): Counter {
  const baseBit = 1 << tips.length
  const all = 2 * baseBit - 1
  const ahead = tips.map(() => 0)
  const behind = tips.map(() => 0)
  const pending = new Map<string, number>()
  /** Number of pending commits that are not reached by all tips. */
  let open = 0
  const reach = (oid: string, bits: number) => {
    const before = pending.get(oid)
    const after = (before ?? 0) | bits
    if (before === after) return
    pending.set(oid, after)
    if (after !== all) open += before === undefined ? 1 : 0
    else if (before !== undefined) open -= 1
  }
  for (const [index, tip] of tips.entries()) reach(tip, 1 << index)
  reach(base, baseBit)
  return {
    take(line) {
      const [oid = '', ...parents] = line.split(' ')
      const bits = pending.get(oid) ?? 0
      pending.delete(oid)
      if (bits !== all) {
        open -= 1
        const counts = bits & baseBit ? behind : ahead
        for (let left = bits & baseBit ? all & ~bits : bits; left !== 0; left &= left - 1) {
          const index = 31 - Math.clz32(left & -left)
          counts[index] = (counts[index] ?? 0) + 1
        }
      }
      for (const parent of parents) reach(parent, bits)
      return open === 0
    },
    isDone: () => open === 0,
    result: () =>
      tips.map((_, index) => {
        const isOpen = [...pending.values()].some((bits) => ((bits >> index) & 1) !== (bits & baseBit ? 1 : 0))
        return isOpen ? null : { ahead: ahead[index] ?? 0, behind: behind[index] ?? 0 }
      }),
  }
}
