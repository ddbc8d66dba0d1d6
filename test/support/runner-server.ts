/** A minimal server of the runner protocol for tests: jobs, traces, results and artifacts. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'

interface Upload {
  query: URLSearchParams
  filename: string
  content: Buffer
}

export interface ServedJob {
  id: number
  token: string
  trace: Buffer
  updates: Record<string, unknown>[]
  uploads: Upload[]
  /** The status of the job in each reply. */
  status: string
  /** The last update after the job has ended. */
  result: Promise<Record<string, unknown>>
}

export interface RunnerServer {
  url: string
  requests: { method: string; path: string; body: Record<string, unknown>; headers: IncomingMessage['headers'] }[]
  /** Handles the next requests of a kind; returns true if it has answered. */
  intercept: ((request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean) | null
  /** Serves a new repository with these files and returns its part of a payload. */
  repository(path: string, files: Record<string, string>): { repo_url: string; sha: string; dir: string }
  /** Queues a job with these fields of a payload. */
  queue(payload: Record<string, unknown>): ServedJob
  close(): Promise<void>
}

type Send = (status: number, content?: unknown, headers?: Record<string, string>) => unknown

const text = (body: Buffer) => (body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>))

export async function openRunnerServer(folder: string): Promise<RunnerServer> {
  const waiting: { payload: Record<string, unknown>; job: ServedJob }[] = []
  const jobs = new Map<number, ServedJob & { end: (result: Record<string, unknown>) => void }>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      if (self.intercept?.(request, response, body)) return
      answer(request, response, body)
    })
  })

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): unknown {
    const url = new URL(request.url ?? '/', 'http://x')
    const reply = (status: number, content: unknown = '', headers: Record<string, string> = {}) => {
      response.writeHead(status, headers)
      response.end(Buffer.isBuffer(content) || typeof content === 'string' ? content : JSON.stringify(content))
    }
    if (!url.pathname.startsWith('/api/v4/')) return serveGit(request, url, body, reply)
    const path = url.pathname.slice('/api/v4'.length)
    const given = request.headers['content-type'] === 'application/json' ? text(body) : {}
    self.requests.push({ method: request.method ?? '', path, body: given, headers: request.headers })
    const ofRunner = ofRunners[`${request.method} ${path}`]
    if (ofRunner) return ofRunner(given, reply)
    const [, id = '', action = ''] = /^\/jobs\/(\d+)(?:\/(\w+))?$/.exec(path) ?? []
    const job = jobs.get(Number(id))
    return job ? ofJob(job, { request, body, action, query: url.searchParams, given, reply }) : reply(404)
  }

  const ofRunners: Record<string, (given: Record<string, unknown>, reply: Send) => unknown> = {
    'POST /runners': ({ token }, reply) => (token === 'registration' ? reply(201, { id: 7, token: 'own-token' }) : reply(403, {})),
    'DELETE /runners': (_given, reply) => reply(204),
    'POST /runners/verify': ({ token }, reply) =>
      ['own-token', 'glrt-made'].includes(String(token)) ? reply(200, { id: 7 }) : reply(403, {}),
    'POST /jobs/request': (_given, reply) => {
      const next = waiting.shift()
      const headers = { 'X-GitLab-Last-Update': 'state' }
      return next ? reply(201, next.payload, headers) : reply(204, '', headers)
    },
  }

  interface JobRequest {
    request: IncomingMessage
    body: Buffer
    action: string
    query: URLSearchParams
    given: Record<string, unknown>
    reply: Send
  }
  type Job = ServedJob & { end: (result: Record<string, unknown>) => void }

  function ofJob(job: Job, call: JobRequest): unknown {
    const headers = { 'Job-Status': job.status }
    if (job.status === 'canceled') return call.reply(403, '', headers)
    const token = call.action === '' ? call.given.token : call.request.headers['job-token']
    if (token !== job.token) return call.reply(403)
    if (call.action === 'trace') return appendTo(job, call)
    if (call.action === 'artifacts') return call.request.method === 'GET' ? sendArtifacts(job, call) : keepArtifacts(job, call)
    job.updates.push(call.given)
    if (call.given.state !== 'running') job.end(call.given)
    return call.reply(200, '', headers)
  }

  function appendTo(job: Job, { request, body, reply }: JobRequest): unknown {
    const [from = -1, to = -1] = String(request.headers['content-range']).split('-').map(Number)
    const isNext = from === job.trace.length && to - from + 1 === body.length
    if (isNext) job.trace = Buffer.concat([job.trace, body])
    return reply(isNext ? 202 : 416, '', { 'Job-Status': job.status, Range: `0-${job.trace.length}` })
  }

  function sendArtifacts({ uploads: [upload] }: Job, { reply }: JobRequest): unknown {
    return upload ? reply(200, upload.content) : reply(404)
  }

  function keepArtifacts(job: Job, { body, query, reply }: JobRequest): unknown {
    const start = body.indexOf('\r\n\r\n') + 4
    const filename = /filename="([^"]*)"/.exec(body.subarray(0, start).toString())?.[1] ?? ''
    job.uploads.push({ query, filename, content: body.subarray(start, body.lastIndexOf('\r\n--')) })
    return reply(201, {})
  }

  /** Repositories, for callers with the token of a job. */
  function serveGit(request: IncomingMessage, url: URL, body: Buffer, reply: Send): unknown {
    const credentials = Buffer.from(String(request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString()
    const [user, token] = credentials.split(':')
    const isKnown = user === 'gitlab-ci-token' && [...jobs.values()].some((job) => job.token === token)
    return isKnown ? runBackend(folder, { request, url, body }, reply) : reply(401, '', { 'WWW-Authenticate': 'Basic realm="git"' })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let lastId = 0
  const self: RunnerServer = {
    url,
    requests: [],
    intercept: null,
    repository(path, files) {
      const dir = join(folder, `${path}.git`)
      mkdirSync(dir, { recursive: true })
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=ci', '-c', 'user.email=ci@example.com', '-c', 'protocol.file.allow=always', ...args], {
          cwd: `${dir}.tree`,
          stdio: ['ignore', 'pipe', 'pipe'],
        }).toString()
      mkdirSync(`${dir}.tree`, { recursive: true })
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(`${dir}.tree`, name)), { recursive: true })
        writeFileSync(join(`${dir}.tree`, name), content)
      }
      git('init', '-q', '-b', 'main', `--separate-git-dir=${dir}`)
      git('add', '-A')
      git('commit', '-q', '-m', 'Add files')
      git('config', 'uploadpack.allowAnySHA1InWant', 'true')
      return { repo_url: `${url}/${path}.git`, sha: git('rev-parse', 'HEAD').trim(), dir }
    },
    queue(payload) {
      const id = ++lastId
      let end: (result: Record<string, unknown>) => void = () => {}
      const result = new Promise<Record<string, unknown>>((resolve) => {
        end = resolve
      })
      const job = { id, token: `job-token-${id}-secret`, trace: Buffer.alloc(0), updates: [], uploads: [], status: 'running', result, end }
      jobs.set(id, job)
      waiting.push({ payload: { id, token: job.token, ...payload }, job })
      return job
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return self
}

/** Git's own server, through CGI. */
function runBackend(folder: string, { request, url, body }: { request: IncomingMessage; url: URL; body: Buffer }, reply: Send): void {
  const child = spawn('git', ['http-backend'], {
    env: {
      ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: url.pathname, REMOTE_USER: 'ci' },
      ...{ REQUEST_METHOD: request.method, QUERY_STRING: url.search.slice(1), CONTENT_TYPE: request.headers['content-type'] ?? '' },
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
    },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    const lines = output.subarray(0, end).toString().split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
    reply(Number.parseInt(headers.Status ?? '200', 10), output.subarray(end + 4), headers)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(body)
}
