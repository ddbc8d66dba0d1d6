/** A process of its own with runners that run short jobs, and pipelines that are created meanwhile; prints who got which job when. */
import { setTimeout } from 'node:timers/promises'
import { readInput } from '../processes.ts'

export interface BusyRunners {
  url: string
  /** The token of the user who creates pipelines. */
  token: string
  project: number
  tokens: string[]
  jobs: number
  perPipeline: number
  pipelines_per_s: number
  /** How long a job lasts. */
  work_ms: number
}

/** When runners received each job, in milliseconds since 1970; several times where it was given to several. */
export type Received = Array<[id: number, at_ms: number]>

const { url, token, project, tokens, jobs, perPipeline, pipelines_per_s, work_ms } = await readInput<BusyRunners>()
const received: Received = []
const end = new AbortController()

async function ask(method: string, path: string, headers: Record<string, string>, body: string): Promise<Response> {
  const response = await fetch(`${url}/api/v4${path}`, { method, headers, body, signal: end.signal })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
  return response
}

const json = { 'content-type': 'application/json' }

async function serve(own: string): Promise<void> {
  let last_update: string | null = null
  while (!end.signal.aborted) {
    const response = await ask('POST', '/jobs/request', json, JSON.stringify({ token: own, ...(last_update && { last_update }) }))
    last_update = response.headers.get('x-gitlab-last-update')
    if (response.status !== 201) {
      await response.arrayBuffer()
      continue
    }
    const job = (await response.json()) as { id: number; token: string }
    received.push([job.id, Date.now()])
    await setTimeout(work_ms / 2)
    const printed = `job ${job.id} runs\n`
    await (
      await ask('PATCH', `/jobs/${job.id}/trace`, { 'job-token': job.token, 'content-range': `0-${printed.length - 1}` }, printed)
    ).arrayBuffer()
    await setTimeout(work_ms / 2)
    await (await ask('PUT', `/jobs/${job.id}`, json, JSON.stringify({ token: job.token, state: 'success' }))).arrayBuffer()
    if (received.length >= jobs) end.abort()
  }
}

async function create(): Promise<void> {
  const began = performance.now()
  for (let number = 0; number < jobs / perPipeline; number += 1) {
    const due_ms = began + (number / pipelines_per_s) * 1_000 - performance.now()
    if (due_ms > 0) await setTimeout(due_ms)
    await (await ask('POST', `/projects/${project}/pipeline?ref=main`, { 'private-token': token }, '')).arrayBuffer()
  }
}

const serving = tokens.map(serve)
// They wait.
await setTimeout(500)
await create()
// Requests that still wait for a job are aborted when the last job has ended.
for (const outcome of await Promise.allSettled(serving)) if (outcome.status === 'rejected' && !end.signal.aborted) throw outcome.reason
process.stdout.write(`${JSON.stringify(received)}\n`)
