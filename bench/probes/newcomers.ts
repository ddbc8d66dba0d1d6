/** A process of its own that opens many new connections at once to a busy server, each for one request, and asks for its liveness meanwhile. */
import { Agent, request } from 'node:http'
import { pause, readInput } from '../processes.ts'

export interface Newcomers {
  /** Each new connection requests this URL. */
  url: string
  headers: Record<string, string>
  connections: number
  /** Asked for over a connection that is kept, and over a new one each time. */
  liveness_url: string
  /** How often there are that many new connections. */
  rounds: number
}

export interface Waited {
  p50_ms: number
  p99_ms: number
  liveness_p50_ms: number
  liveness_p99_ms: number
  /** Over new connections. */
  new_liveness_p50_ms: number
  new_liveness_p99_ms: number
  liveness_asked: number
  failures: number
}

const between_ms = 25
const timeout_ms = 60_000

const { url, headers, connections, liveness_url, rounds } = await readInput<Newcomers>()
const times: number[] = []
const livenessTimes: number[] = []
const newLivenessTimes: number[] = []
const kept = new Agent({ keepAlive: true, maxSockets: 1 })
let failures = 0
let isDone = false

const probing = probe()
for (let round = 0; round < rounds; round += 1) {
  await Promise.all(Array.from({ length: connections }, () => ask(url, headers, false, times)))
  await pause(300)
}
isDone = true
await probing
kept.destroy()

const waited: Waited = {
  p50_ms: at(times, 0.5),
  p99_ms: at(times, 0.99),
  liveness_p50_ms: at(livenessTimes, 0.5),
  liveness_p99_ms: at(livenessTimes, 0.99),
  new_liveness_p50_ms: at(newLivenessTimes, 0.5),
  new_liveness_p99_ms: at(newLivenessTimes, 0.99),
  liveness_asked: livenessTimes.length,
  failures,
}
process.stdout.write(`${JSON.stringify(waited)}\n`)

async function probe(): Promise<void> {
  const asked: Array<Promise<void>> = []
  while (!isDone) {
    asked.push(ask(liveness_url, {}, kept, livenessTimes), ask(liveness_url, {}, false, newLivenessTimes))
    await pause(between_ms)
  }
  await Promise.all(asked)
}

/** From before the connection to the last byte of the answer. */
function ask(target: string, sent: Record<string, string>, agent: Agent | false, into: number[]): Promise<void> {
  const began = performance.now()
  return new Promise((resolve) => {
    const fail = () => {
      failures += 1
      resolve()
    }
    const asking = request(target, { agent, headers: sent, timeout: timeout_ms }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode !== 200) return fail()
        into.push(performance.now() - began)
        resolve()
      })
    })
    asking.on('timeout', () => asking.destroy(new Error('timeout'))).on('error', fail)
    asking.end()
  })
}

function at(all: number[], share: number): number {
  const sorted = Float64Array.from(all).sort()
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}
