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
  /** What is written to each side meanwhile. */
  writes?: Writes
}

export interface Writes {
  /** The addresses of a project with a branch `main`. */
  projects: [string, string]
  headers: Record<string, string>
  per_s: number
}

/** The first requests open connections and load what is loaded once. */
const warmUp_s = 0.5

const { sides, headers, rate_per_s, duration_s, writes } = await readInput<SideBySide>()
let written = 0
await load(warmUp_s)
const [one, other] = (await load(duration_s)).map(latencyOf) as [Latency, Latency]
process.stdout.write(`${JSON.stringify([one, other])}\n`)

/** All times of each side, in milliseconds. */
async function load(lasting_s: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  const reading = atRate(2 * rate_per_s, lasting_s, (number) => {
    const side = number % 2 === 0 ? 0 : 1
    const urls = sides[side]
    return ask(urls[Math.floor(number / 2) % urls.length] as string, times[side])
  })
  await Promise.all([reading, writes && atRate(2 * writes.per_s, lasting_s, () => write(writes))])
  return times
}

async function atRate(per_s: number, lasting_s: number, act: (number: number) => Promise<void>): Promise<void> {
  const acts: Array<Promise<void>> = []
  const began = performance.now()
  for (let number = 0; number < per_s * lasting_s; number += 1) {
    const due_ms = began + (number / per_s) * 1_000 - performance.now()
    if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
    acts.push(act(number))
  }
  await Promise.all(acts)
}

/** What teams write all day: of five writes one is a commit, the others are statuses of one. To the sides in turn. */
async function write({ projects, headers }: Writes): Promise<void> {
  const number = written
  written += 1
  const repository = projects[number % 2 === 0 ? 0 : 1]
  const url =
    Math.floor(number / 2) % 5 === 0
      ? `${repository}/repository/files/${process.pid}-${number}?branch=main&content=text&commit_message=Add`
      : `${repository}/statuses/main?state=success&name=${process.pid}-${number}`
  await complete(await fetch(url, { method: 'POST', headers }))
}

async function ask(url: string, times: number[]): Promise<void> {
  const sent = performance.now()
  await complete(await fetch(url, { headers }))
  times.push(performance.now() - sent)
}

async function complete(response: Response): Promise<void> {
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${response.url} was answered with ${response.status}`)
}

function latencyOf(times: number[]): Latency {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] as number
  return { requests: times.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) }
}
