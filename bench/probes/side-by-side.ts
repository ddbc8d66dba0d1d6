/** A process of its own that asks two servers in turn at a steady rate each, whether or not the answers keep up, and prints how long each took. */
import { readInput } from '../processes.ts'
import type { Latency } from './steady.ts'

export interface SideBySide {
  /** The URLs of each server, requested in turn. */
  sides: [urls: string[], urls: string[]]
  headers: Record<string, string>
  /** Requests per second to each side. */
  rate_per_s: number
  duration_s: number
  /** Writes to each side during the reads. */
  writes?: Writes
}

export interface Writes {
  /** Commits and their statuses, to projects with a branch `main`; or issues and their notes, to projects with an issue 1. */
  what: 'commits' | 'issues'
  /** The addresses of the projects. */
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

/** Writes as teams do all day, to both sides in turn. */
async function write({ what, projects, headers }: Writes): Promise<void> {
  const number = written
  written += 1
  const project = projects[number % 2 === 0 ? 0 : 1]
  const isFifth = Math.floor(number / 2) % 5 === 0
  await complete(await fetch(`${project}/${addressOf(what, isFifth, `${process.pid}-${number}`)}`, { method: 'POST', headers }))
}

/** One in five writes creates a commit, the others statuses of one; or one creates an issue, the others notes. */
function addressOf(what: Writes['what'], isFifth: boolean, name: string): string {
  if (what === 'issues') return isFifth ? `issues?title=${name}` : `issues/1/notes?body=${name}`
  return isFifth
    ? `repository/files/${name}?branch=main&content=text&commit_message=Add`
    : `repository/statuses/main?state=success&name=${name}`
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
