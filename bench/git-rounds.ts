/** How clones and pushes are compared: interleaved over the protocols: wall time and the server's processor time, the middle of several rounds. */

import type { Protocol } from './limits/protocols.ts'
import { pause, settledCpu, usedCpu } from './processes.ts'
import { atMost, digits, median, printProgress, type Row } from './report.ts'
import { git_s, minGitRounds, tooLong_s } from './settings.ts'

export interface Cost {
  wall_s: number
  server_s: number
  /** Seconds of processor that the server uses after the client has gone, for counting and housekeeping. */
  later_s: number
}

/** How a comparison is made. */
export interface Terms {
  /** Rounds after the one to warm up. */
  maxRounds: number
  /** The aim: our time divided by that of the limit. */
  maxRatio: number
}

type Measure = (protocol: Protocol, round: number) => Promise<Cost>

/** Every protocol once to warm up, then all of them interleaved, more often where a round is short. */
export async function measureInterleaved(
  doing: string,
  protocols: Protocol[],
  { maxRounds }: Terms,
  measure: Measure,
): Promise<Map<Protocol, Cost[]>> {
  const costs = new Map<Protocol, Cost[]>()
  printProgress(`${doing}, to warm up`)
  for (const protocol of protocols) costs.set(protocol, [await measure(protocol, 0)])
  const slowest_s = Math.max(...[...costs.values()].map(([cost]) => cost?.wall_s ?? 0))
  if (slowest_s > tooLong_s) return costs
  for (const all of costs.values()) all.pop()
  const min = slowest_s > git_s ? 1 : Math.min(minGitRounds, maxRounds)
  const rounds = Math.max(min, Math.min(maxRounds, Math.floor(git_s / slowest_s)))
  for (let round = 1; round <= rounds; round += 1) {
    printProgress(`${doing}, ${round} of ${rounds}`)
    for (const protocol of protocols) costs.get(protocol)?.push(await measure(protocol, round))
  }
  return costs
}

/** By then the processes that served a client have ended, and the queue has most likely not looked for what it left to do. */
const ending_ms = 100

export async function costOf({ pid }: Protocol, work: () => Promise<unknown>): Promise<Cost> {
  const before_s = pid === null ? 0 : usedCpu(pid)
  const began = performance.now()
  await work()
  const wall_s = (performance.now() - began) / 1000
  if (pid === null) return { wall_s, server_s: 0, later_s: 0 }
  await pause(ending_ms)
  const after_s = usedCpu(pid)
  return { wall_s, server_s: after_s - before_s, later_s: (await settledCpu(pid)) - after_s }
}

/** Less is the noise of the clock. */
const worthTelling_s = 0.05

/** Wall time against all limits; the server's time against those that have a server. */
export function compare(what: string, costs: Map<Protocol, Cost[]>, { maxRatio }: Terms): Row[] {
  const [ours, ...limits] = [...costs].map(([{ name, isAim, pid }, all]) => ({
    name,
    isAim,
    pid,
    rounds: all.length,
    wall_s: median(all.map(({ wall_s }) => wall_s)),
    server_s: median(all.map(({ server_s }) => server_s)),
    later_s: median(all.map(({ later_s }) => later_s)),
  }))
  if (!ours) return []
  const row = (measured: 'wall_s' | 'server_s', label: string, limit: typeof ours): Row => {
    const ratio = ours[measured] / limit[measured]
    const later = measured === 'server_s' && ours.later_s >= worthTelling_s ? `, and ${digits(ours.later_s)} s later by the queue` : ''
    return {
      what: `${what}, ${label} (median of ${ours.rounds})`,
      ours: `${digits(ours[measured])} s${later}`,
      limit: `${limit.name}: ${digits(limit[measured])} s`,
      ratio: digits(ratio),
      ...(limit.isAim && atMost(ratio, maxRatio)),
    }
  }
  return [
    ...limits.map((limit) => row('wall_s', 'wall time', limit)),
    ...limits.filter(({ pid }) => pid !== null).map((limit) => row('server_s', "the server's processor time", limit)),
  ]
}
