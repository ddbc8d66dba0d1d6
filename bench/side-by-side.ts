/** A process of its own that asks two servers in turn at a steady rate each, whether or not the answers keep up, and prints how long each took. */
import { readInput } from './processes.ts'
import type { Latency } from './steady.ts'

export interface SideBySide {
  /** Of each server the addresses that are asked for in turn. */
  sides: [urls: string[], urls: string[]]
  headers: Record<string, string>
  /** Of requests to each side. */
  rate_per_s: number
  duration_s: number
}

/** The first requests open connections and load what is loaded once. */
const warmUp_s = 0.5

const { sides, headers, rate_per_s, duration_s } = await readInput<SideBySide>()
await load(warmUp_s)
const [one, other] = (await load(duration_s)).map(latencyOf) as [Latency, Latency]
process.stdout.write(`${JSON.stringify([one, other])}\n`)

/** All times of each side, in milliseconds. */
async function load(lasting_s: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  const asked: Array<Promise<void>> = []
  const began = performance.now()
  for (let number = 0; number < 2 * rate_per_s * lasting_s; number += 1) {
    const due_ms = began + (number / (2 * rate_per_s)) * 1_000 - performance.now()
    if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
    const side = number % 2 === 0 ? 0 : 1
    const urls = sides[side]
    asked.push(ask(urls[Math.floor(number / 2) % urls.length] as string, times[side]))
  }
  await Promise.all(asked)
  return times
}

async function ask(url: string, times: number[]): Promise<void> {
  const sent = performance.now()
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
  times.push(performance.now() - sent)
}

function latencyOf(times: number[]): Latency {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] as number
  return { requests: times.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) }
}
