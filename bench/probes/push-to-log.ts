/** A process of its own that pushes commits, runs their job as an idle runner would, and looks at the pages until the log has its first line. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readInput } from '../processes.ts'

export interface PushToLog {
  url: string
  /** The token of the user who pushes. */
  token: string
  /** Full path of a public project with one job. */
  path: string
  runner: string
  rounds: number
}

/** Milliseconds from the end of each push until a page had the line. */
export type Waits = number[]

const { url, token, path, runner, rounds } = await readInput<PushToLog>()
const json = { 'content-type': 'application/json' }
const end = new AbortController()
/** As often as a browser asks while something changes. */
const look_ms = 50

async function serve(): Promise<void> {
  let last_update: string | null = null
  while (!end.signal.aborted) {
    const body: string = JSON.stringify({ token: runner, ...(last_update && { last_update }) })
    const response = await fetch(`${url}/api/v4/jobs/request`, { method: 'POST', headers: json, body, signal: end.signal })
    last_update = response.headers.get('x-gitlab-last-update')
    if (response.status !== 201) {
      await response.arrayBuffer()
      continue
    }
    const job = (await response.json()) as { id: number; token: string; git_info: { sha: string } }
    const line = `built ${job.git_info.sha}\n`
    const headers = { 'job-token': job.token, 'content-range': `0-${line.length - 1}` }
    await (await fetch(`${url}/api/v4/jobs/${job.id}/trace`, { method: 'PATCH', headers, body: line })).arrayBuffer()
    const report = JSON.stringify({ token: job.token, state: 'success' })
    await (await fetch(`${url}/api/v4/jobs/${job.id}`, { method: 'PUT', headers: json, body: report })).arrayBuffer()
  }
}

async function page(address: string): Promise<string> {
  const response = await fetch(`${url}/${path}${address}`)
  if (!response.ok) throw new Error(`${address} was answered with ${response.status}`)
  return response.text()
}

/** Polls the page until it matches the pattern. Returns the match. */
async function seen(address: string, pattern: RegExp, isNew: (found: string) => boolean = () => true): Promise<string> {
  for (;;) {
    const found = pattern.exec(await page(address))?.[1]
    if (found !== undefined && isNew(found)) return found
    await setTimeout(look_ms)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-push-'))
const git = (...args: string[]) => {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}
const waits: Waits = []
const serving = serve().catch((error: unknown) => {
  if (!end.signal.aborted) throw error
})
try {
  git('clone', '--quiet', `${url.replace('//', `//x:${token}@`)}/${path}.git`, '.')
  let last = 0
  for (let round = 0; round < rounds; round += 1) {
    git('commit', '--quiet', '--allow-empty', '--message', `Round ${round}`)
    const sha = git('rev-parse', 'HEAD')
    git('push', '--quiet', 'origin', 'HEAD')
    const pushed_ms = performance.now()
    const newer = (id: string) => Number(id) > last
    const pipeline = await seen('/pipelines', /\/pipelines\/(\d+)"/, newer)
    last = Number(pipeline)
    const job = await seen(`/pipelines/${pipeline}`, /\/-\/jobs\/(\d+)"/)
    await seen(`/-/jobs/${job}/log`, new RegExp(`(built ${sha})`))
    waits.push(performance.now() - pushed_ms)
  }
} finally {
  end.abort()
  rmSync(folder, { recursive: true, force: true })
}
await serving
process.stdout.write(`${JSON.stringify(waits)}\n`)
