/** A process of its own with jobs that print, and people who follow them; prints how long both took. */
import { setTimeout } from 'node:timers/promises'
import { readInput } from '../processes.ts'
import type { Latency } from './steady.ts'

export interface LiveTraces {
  url: string
  /** The reader's token. */
  token: string
  project: number
  jobs: Array<{ id: number; token: string }>
  bytes_per_s: number
  duration_s: number
}

const { url, token, project, jobs, bytes_per_s, duration_s } = await readInput<LiveTraces>()
const line = `${'the quick brown fox jumps over the lazy dog '.repeat(2)}\n`
const piece = Buffer.from(line.repeat(Math.ceil(bytes_per_s / line.length))).subarray(0, bytes_per_s)
const times = { writes: [] as number[], reads: [] as number[] }

/** One piece each second, the jobs one after the other within it; half a second later its reader asks for what is new. */
await Promise.all(
  jobs.map(async (job, index) => {
    await setTimeout((index / jobs.length) * 1_000)
    const began = performance.now()
    for (let second = 0; second < duration_s; second += 1) {
      const start = second * piece.length
      await until(began + second * 1_000)
      const headers = { 'job-token': job.token, 'content-range': `${start}-${start + piece.length - 1}` }
      await timed(times.writes, 202, `${url}/api/v4/jobs/${job.id}/trace`, { method: 'PATCH', headers, body: piece })
      await until(began + second * 1_000 + 500)
      const range = { 'private-token': token, range: `bytes=${start}-` }
      await timed(times.reads, 206, `${url}/api/v4/projects/${project}/jobs/${job.id}/trace`, { headers: range })
    }
  }),
)
process.stdout.write(`${JSON.stringify([times.writes, times.reads].map(latencyOf))}\n`)

async function until(at: number): Promise<void> {
  const due_ms = at - performance.now()
  if (due_ms > 0) await setTimeout(due_ms)
}

async function timed(into: number[], status: number, address: string, init: RequestInit): Promise<void> {
  const sent = performance.now()
  const response = await fetch(address, init)
  await response.arrayBuffer()
  into.push(performance.now() - sent)
  // The first bytes are all there is: not a part.
  if (response.status !== status && response.status !== 200) throw new Error(`${address} was answered with ${response.status}`)
}

function latencyOf(taken: number[]): Latency {
  const sorted = taken.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] as number
  return { requests: sorted.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) }
}
