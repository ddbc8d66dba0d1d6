/** How long a hundred new connections wait while many others read as fast as they can, and what that costs the others. */
import type { Forge } from '../forge.ts'
import type { Load, Speed } from '../probes/load.ts'
import type { Newcomers, Waited } from '../probes/newcomers.ts'
import { pause, runScript, usedCpu } from '../processes.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { newcomerRounds } from '../settings.ts'

const readers = 170
const connections = 100
/** Until the readers are at full speed. */
const warmUp_ms = 2_000
const max_ms = 1_000
const maxLiveness_ms = 100

/** @param path of the API, read by all */
export async function measureNewcomers(forge: Forge, path: string): Promise<Row[]> {
  const url = `${forge.url}/api/v4${path}`
  const headers = { 'private-token': forge.token }
  const load = (duration_s: number) => runScript<Load, Speed>('load.ts', { url, headers, connections: readers, duration_s })
  printProgress(`${readers} readers alone`)
  await load(2)
  const before_s = usedCpu(forge.pid)
  const alone = await load(newcomerRounds * 2)
  const alone_us = ((usedCpu(forge.pid) - before_s) / alone.requests) * 1e6
  printProgress(`${connections} new connections while ${readers} readers are busy`)
  const reading = load(newcomerRounds * 3 + warmUp_ms / 1_000)
  await pause(warmUp_ms)
  const waited = await runScript<Newcomers, Waited>('newcomers.ts', {
    url,
    headers,
    connections,
    liveness_url: `${forge.url}/-/liveness`,
    rounds: newcomerRounds,
  })
  const crowded = await reading
  if (waited.failures > 0) throw new Error(`${waited.failures} of the new connections came to nothing`)
  const empty = { limit: '', ratio: '' }
  return [
    {
      what: `${connections} new connections while ${readers} readers are busy: median`,
      ours: `${digits(waited.p50_ms)} ms (p99 ${digits(waited.p99_ms)} ms)`,
      ...empty,
      ...atMost(waited.p50_ms, max_ms, 'ms'),
    },
    {
      what: 'liveness meanwhile, over a kept connection: p99',
      ours: `${digits(waited.liveness_p99_ms)} ms (median ${digits(waited.liveness_p50_ms)} ms; over new connections ${digits(waited.new_liveness_p99_ms)} ms, median ${digits(waited.new_liveness_p50_ms)} ms)`,
      ...empty,
      ...atMost(waited.liveness_p99_ms, maxLiveness_ms, 'ms'),
    },
    {
      what: `the ${readers} readers meanwhile, in reads a second`,
      ours: `${digits(crowded.requests_per_s)} (p99 ${digits(crowded.p99_ms)} ms)`,
      limit: `alone ${digits(alone.requests_per_s)} (p99 ${digits(alone.p99_ms)} ms, ${digits(alone_us)} µs of processor each)`,
      ratio: digits(crowded.requests_per_s / alone.requests_per_s),
    },
  ]
}
