/** A process of its own that asks for addresses at a steady rate, whether or not the answers keep up, and prints how long they took. */
import { readInput } from '../processes.ts'

export interface Steady {
  /** Asked for in turn. */
  urls: string[]
  headers: Record<string, string>
  rate_per_s: number
  duration_s: number
  /** Sends the entity tag of the last answer, as clients do that keep it. */
  keepsAnswers?: boolean
}

export interface Latency {
  requests: number
  p50_ms: number
  p90_ms: number
  p99_ms: number
}

const { urls, headers, rate_per_s, duration_s, keepsAnswers = false } = await readInput<Steady>()
const tags = new Map<string, string>()
const times: number[] = []
const asked: Array<Promise<void>> = []
const began = performance.now()
for (let number = 0; number < rate_per_s * duration_s; number += 1) {
  const due_ms = began + (number / rate_per_s) * 1_000 - performance.now()
  if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
  asked.push(ask(urls[number % urls.length] as string))
}
await Promise.all(asked)
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.floor((times.length - 1) * share)] as number
const latency: Latency = { requests: times.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) }
process.stdout.write(`${JSON.stringify(latency)}\n`)

async function ask(url: string): Promise<void> {
  const sent = performance.now()
  const tag = keepsAnswers ? tags.get(url) : undefined
  const response = await fetch(url, { headers: { ...headers, ...(tag !== undefined && { 'if-none-match': tag }) } })
  await response.arrayBuffer()
  tags.set(url, response.headers.get('etag') ?? '')
  if (!response.ok && response.status !== 304) throw new Error(`${url} was answered with ${response.status}`)
  times.push(performance.now() - sent)
}
