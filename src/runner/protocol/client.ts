/** The protocol between runners and the server: a function per request, whose result says what the runner does next. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { download, type Reply, send } from './http.ts'
import { runnerInfo } from './info.ts'
import { type JobPayload, readPayload } from './payload.ts'

export interface Registration {
  description?: string
  tag_list?: string
  run_untagged: boolean
  locked: boolean
  paused: boolean
  access_level?: string
  maximum_timeout?: number
  maintenance_note?: string
}

/** One runner's credentials at one server. */
export interface Credentials {
  /** The URL of the server, without `/api/v4`. */
  url: string
  token: string
  system_id: string
}

/** A running job's credentials. */
export interface JobCredentials {
  url: string
  id: number
  token: string
}

export interface PatchReply {
  kind: 'accepted' | 'range' | 'failed' | 'ended'
  /** The length of the trace at the server; set with `range`. */
  offset: number
  isCanceling: boolean
  /** The interval that the server asks for; null if it doesn't say. */
  interval_ms: number | null
}

export interface UpdateReply {
  kind: 'done' | 'pending' | 'invalid_trace' | 'ended' | 'failed'
  isCanceling: boolean
  interval_ms: number | null
}

export interface JobResult {
  state: 'running' | 'success' | 'failed'
  failure_reason?: string
  exit_code?: number
  checksum: string
  size_bytes: number
}

export type UploadReply = 'stored' | 'too_large' | 'forbidden' | 'busy' | 'failed'

/** The URL of an endpoint below `/api/v4` of a server, which may itself be below a path. */
function endpoint(url: string, path: string): URL {
  return new URL(`${url.replace(/\/+$/, '')}/api/v4/${path}`)
}

function sendJson(method: 'POST' | 'PUT' | 'DELETE', url: URL, body: unknown, signal?: AbortSignal): Promise<Reply> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': `${runnerInfo.name} ${runnerInfo.version}`,
  }
  return send({ method, url, headers, body: JSON.stringify(body), signal })
}

/** Creates a runner with a registration token; null if the server rejects the token. */
export async function registerRunner(url: string, token: string, options: Registration): Promise<{ id: number; token: string } | null> {
  const reply = await sendJson('POST', endpoint(url, 'runners'), { ...options, token, info: runnerInfo })
  if (reply.status === 403) return null
  if (reply.status !== 201) throw refused('register the runner', reply)
  const { id, token: own } = JSON.parse(reply.text) as { id: number; token: string }
  return { id, token: own }
}

/** Whether the server knows the runner. Its id is 0 if an old server doesn't say. */
export async function verifyRunner({ url, token, system_id }: Credentials): Promise<{ id: number } | null> {
  const reply = await sendJson('POST', endpoint(url, 'runners/verify'), { token, system_id, info: runnerInfo })
  if (reply.status === 403) return null
  if (reply.status !== 200) throw refused('verify the runner', reply)
  return { id: idIn(reply.text) }
}

function idIn(text: string): number {
  try {
    const { id } = JSON.parse(text) as { id?: unknown }
    return typeof id === 'number' ? id : 0
  } catch {
    return 0
  }
}

/** Deletes the runner at its server; false if it didn't exist. */
export async function unregisterRunner({ url, token }: Credentials): Promise<boolean> {
  const reply = await sendJson('DELETE', endpoint(url, 'runners'), { token })
  if (reply.status !== 204 && reply.status !== 403) throw refused('unregister the runner', reply)
  return reply.status === 204
}

function refused(action: string, { status, text }: Reply): Error {
  return new Error(`could not ${action}: the server answered ${status} ${text.slice(0, 200)}`)
}

export type RequestReply = { kind: 'job'; job: JobPayload } | { kind: 'none' | 'forbidden' | 'failed'; status: number }

/**
 * Requests a job. The server may keep the request open until there is one.
 * @param last_update state of the queue from the last reply, which lets the server skip a look at an unchanged queue
 */
export async function requestJob(
  { url, token, system_id }: Credentials,
  last_update: string,
  signal: AbortSignal,
): Promise<RequestReply & { last_update: string }> {
  const reply = await sendJson('POST', endpoint(url, 'jobs/request'), { token, system_id, last_update, info: runnerInfo }, signal)
  const next = String(reply.headers['x-gitlab-last-update'] ?? last_update)
  if (reply.status === 201) return { kind: 'job', job: readPayload(reply.text), last_update: next }
  const kind = reply.status === 204 ? 'none' : reply.status === 403 ? 'forbidden' : 'failed'
  return { kind, status: reply.status, last_update: next }
}

/** Appends bytes to the trace of a job. */
export async function patchTrace(job: JobCredentials, content: Buffer, offset: number, isDebug: boolean): Promise<PatchReply> {
  const reply = await send({
    method: 'PATCH',
    url: endpoint(job.url, `jobs/${job.id}/trace?debug_trace=${isDebug}`),
    headers: { 'Content-Type': 'text/plain', 'Content-Range': `${offset}-${offset + content.length - 1}`, 'JOB-TOKEN': job.token },
    body: content,
  })
  const common = { isCanceling: isCanceling(reply), interval_ms: intervalOf(reply) }
  if (hasEnded(reply) || reply.status === 404) return { kind: 'ended', offset, ...common }
  if (reply.status === 202) return { kind: 'accepted', offset: offset + content.length, ...common }
  if (reply.status === 416) return { kind: 'range', offset: endOfRange(reply, offset), ...common }
  return { kind: 'failed', offset, ...common }
}

/** The last byte in `Range: 0-42` of a reply: the length of the trace at the server. */
function endOfRange({ headers }: Reply, offset: number): number {
  const end = /^\d+-(\d+)$/.exec(String(headers.range ?? ''))?.[1]
  return end === undefined ? offset : Number(end)
}

/** Reports the state or the result of a job to the server. */
export async function updateJob(job: JobCredentials, result: JobResult): Promise<UpdateReply> {
  const { state, failure_reason, exit_code, checksum, size_bytes } = result
  const output = { checksum, bytesize: size_bytes }
  const body = { token: job.token, info: runnerInfo, state, failure_reason, exit_code, checksum, output }
  const reply = await sendJson('PUT', endpoint(job.url, `jobs/${job.id}`), body)
  const common = { isCanceling: isCanceling(reply), interval_ms: intervalOf(reply) }
  if (reply.status === 200) return { kind: hasEnded(reply) && state === 'running' ? 'ended' : 'done', ...common }
  if (hasEnded(reply) || reply.status === 404) return { kind: 'ended', ...common }
  if (reply.status === 202) return { kind: 'pending', ...common }
  return { kind: reply.status === 412 ? 'invalid_trace' : 'failed', ...common }
}

const statusOf = ({ headers }: Reply) => String(headers['job-status'] ?? '')
const isCanceling = (reply: Reply) => statusOf(reply) === 'canceling'
const hasEnded = (reply: Reply) => reply.status === 403 || ['canceled', 'failed'].includes(statusOf(reply))

function intervalOf({ headers }: Reply): number | null {
  const seconds = Number(headers['x-gitlab-trace-update-interval'])
  return seconds > 0 ? Math.min(seconds, 600) * 1000 : null
}

/** Uploads an artifact file as a stream. */
export async function uploadArtifacts(
  job: JobCredentials,
  file: { filename: string; content: Readable; type: string; format: string; expire_in: string },
): Promise<{ reply: UploadReply; status: number }> {
  const query = new URLSearchParams({ artifact_format: file.format, artifact_type: file.type })
  if (file.expire_in !== '') query.set('expire_in', file.expire_in)
  const boundary = `gitstead-${randomUUID()}`
  const filename = file.filename.replace(/["\\\r\n]/g, '_')
  const { status } = await send({
    method: 'POST',
    url: endpoint(job.url, `jobs/${job.id}/artifacts?${query}`),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}`, 'JOB-TOKEN': job.token },
    body: Readable.from(formWith(boundary, filename, file.content), { objectMode: false }),
    silence_ms: 600_000,
  })
  return { reply: uploadReplies[status] ?? 'failed', status }
}

const uploadReplies: Record<number, UploadReply> = { 201: 'stored', 403: 'forbidden', 413: 'too_large', 503: 'busy' }

async function* formWith(boundary: string, filename: string, content: Readable): AsyncGenerator<Buffer> {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${filename}"`
  yield Buffer.from(`--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`)
  yield* content as AsyncIterable<Buffer>
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

/** Downloads the artifacts of an earlier job to a new file. Returns the status. */
export function downloadArtifacts(job: JobCredentials, file: string): Promise<number> {
  const url = endpoint(job.url, `jobs/${job.id}/artifacts?direct_download=true`)
  return download({ method: 'GET', url, headers: { 'JOB-TOKEN': job.token } }, file)
}
