/** A process of its own with runners that ask for jobs, where there are none; prints what the server's processor time was meanwhile. */
import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { readInput, usedCpu } from '../processes.ts'

export interface IdleRunners {
  url: string
  pid: number
  tokens: string[]
  every_ms: number
  duration_s: number
  /** Whether they send what the last reply said, as agents do: the reply then waits for a job. */
  waits: boolean
}

export interface IdleCost {
  requests: number
  /** Share of one processor. */
  share: number
}

const { url, pid, tokens, every_ms, duration_s, waits } = await readInput<IdleRunners>()
const end = new AbortController()
// Each request listens, for as long as its response exists.
setMaxListeners(0, end.signal)
let requests = 0
const running = tokens.map(async (token, index) => {
  await setTimeout((index / tokens.length) * every_ms)
  let last_update: string | null = null
  while (!end.signal.aborted) {
    const due = performance.now() + every_ms
    last_update = await ask(token, waits ? last_update : null)
    requests += 1
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal: end.signal }).catch(() => {})
  }
})
// All have asked once, and are known.
await setTimeout(every_ms + 1_000)
const before = { cpu_s: usedCpu(pid), requests, at: performance.now() }
await setTimeout(duration_s * 1_000)
const took_s = (performance.now() - before.at) / 1_000
const cost: IdleCost = { requests: requests - before.requests, share: (usedCpu(pid) - before.cpu_s) / took_s }
end.abort()
await Promise.allSettled(running)
process.stdout.write(`${JSON.stringify(cost)}\n`)

async function ask(token: string, last_update: string | null): Promise<string | null> {
  const response = await fetch(`${url}/api/v4/jobs/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...(last_update && { last_update }), info: { name: 'bench', version: '11.3.0' } }),
    signal: end.signal,
  })
  await response.arrayBuffer()
  if (response.status !== 204) throw new Error(`a request for a job was answered with ${response.status}`)
  return response.headers.get('x-gitlab-last-update')
}
