/** Runners for tests that live on when their server dies: each repeats what was not acknowledged, as real ones do. */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ServerProcess } from '../server-process.ts'

export interface GivenJob {
  id: number
  token: string
  runner_id: number
  /** How many bytes of its trace the server said it has; all of it is a function of the job's id. */
  printed: number
  /** The digest of its artifacts, once the server said that it has them. */
  artifact: string | null
  /** The runner has nothing more to do for it; `isAcknowledged` unless the answer to its end was lost. */
  end: { isAcknowledged: boolean } | null
}

export interface Runners {
  given: Map<number, GivenJob>
  /** Violations: things that a server must never do. */
  wrong: string[]
  /** Acknowledged requests. */
  count: () => number
  /** All go on, whether the server is there or not, for as long as they are alive. */
  run: (server: ServerProcess, isAlive: () => boolean) => Promise<unknown>
}

const pieces = 3

export function traceOf(id: number): string {
  return Array.from({ length: pieces }, (_, index) => `${`job ${id} prints ${index} `.repeat(1 + ((id * 7 + index) % 300))}\n`).join('')
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export function runnersOf(those: ReadonlyArray<{ id: number; token: string }>): Runners {
  const given = new Map<number, GivenJob>()
  const wrong: string[] = []
  let count = 0

  const ask = (server: ServerProcess, path: string, init: RequestInit) => fetch(`${server.url}/api/v4${path}`, init)
  const json = (method: string, body: Record<string, unknown>): RequestInit => ({
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

  /** The next step of a runner is one request, and what its answer means. */
  function stepsOf({ id: runner_id, token }: { id: number; token: string }) {
    let job: GivenJob | null = null
    let artifact = new Uint8Array()

    async function request(server: ServerProcess): Promise<void> {
      const answer = await ask(server, '/jobs/request', json('POST', { token }))
      if (answer.status === 204) return setTimeout(10)
      if (answer.status !== 201) return void wrong.push(`a request for a job was answered with ${answer.status}`)
      const payload = (await answer.json()) as { id: number; token: string }
      if (given.has(payload.id)) wrong.push(`job ${payload.id} was given twice`)
      job = { id: payload.id, token: payload.token, runner_id, printed: 0, artifact: null, end: null }
      artifact = randomBytes(1_000 + (payload.id % 10) * 10_000)
      given.set(job.id, job)
    }

    async function print(server: ServerProcess, to: GivenJob): Promise<void> {
      const whole = Buffer.from(traceOf(to.id))
      const end = Math.min(whole.length, to.printed + Math.ceil(whole.length / pieces))
      const headers = { 'job-token': to.token, 'content-range': `${to.printed}-${end - 1}` }
      const answer = await ask(server, `/jobs/${to.id}/trace`, { method: 'PATCH', headers, body: whole.subarray(to.printed, end) })
      if (answer.status === 202) to.printed = end
      else wrong.push(`the trace of job ${to.id} from ${to.printed} on: ${answer.status} ${answer.headers.get('range')}`)
    }

    async function upload(server: ServerProcess, from: GivenJob): Promise<void> {
      const body = new FormData()
      body.set('file', new File([artifact], 'artifacts.zip'))
      const answer = await ask(server, `/jobs/${from.id}/artifacts`, { method: 'POST', headers: { 'job-token': from.token }, body })
      if (answer.status === 201) from.artifact = digestOf(artifact)
      else wrong.push(`the artifacts of job ${from.id}: ${answer.status}`)
    }

    let isRepeated = false

    async function end(server: ServerProcess, which: GivenJob): Promise<void> {
      const state = which.id % 5 === 0 ? 'failed' : 'success'
      const answer = await ask(server, `/jobs/${which.id}`, json('PUT', { token: which.token, state }))
      // The token ended with the job, and the answer before was lost.
      if (answer.status === 200 || (answer.status === 403 && isRepeated)) which.end = { isAcknowledged: answer.status === 200 }
      else wrong.push(`the end of job ${which.id}: ${answer.status}`)
      job = null
      isRepeated = false
    }

    return async (server: ServerProcess): Promise<void> => {
      if (job === null) await request(server)
      else if (job.printed < Buffer.byteLength(traceOf(job.id))) await print(server, job)
      else if (job.artifact === null) await upload(server, job)
      else {
        const done = end(server, job)
        isRepeated = true
        await done
      }
      count += 1
    }
  }

  const steps = those.map(stepsOf)
  return {
    given,
    wrong,
    count: () => count,
    run: (server, isAlive) =>
      Promise.all(
        steps.map(async (step) => {
          while (isAlive()) await step(server).catch(() => setTimeout(2))
        }),
      ),
  }
}

/** Acknowledged data of a job that the server has lost. */
export async function lostOf(server: ServerProcess, project_id: number, job: GivenJob): Promise<string[]> {
  const at = `/projects/${project_id}/jobs/${job.id}`
  const trace = await (await server.send('GET', `${at}/trace`)).text()
  const lost =
    trace.length >= job.printed && traceOf(job.id).startsWith(trace) ? [] : [`${job.printed} bytes of the trace of job ${job.id}`]
  if (job.artifact === null) return lost
  const answer = await server.send('GET', `${at}/artifacts`)
  return digestOf(new Uint8Array(await answer.arrayBuffer())) === job.artifact ? lost : [...lost, `the artifacts of job ${job.id}`]
}
