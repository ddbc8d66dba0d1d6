/** A server that plays all services that integrations connect to, and sample events. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpCall, kindOf, type Payload, type Settings } from '../../src/features/integrations/kinds/kinds.ts'
import { post } from '../../src/outgoing/post.ts'

export interface Request {
  method: string
  /** Host and path. */
  at: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  /** JSON, the fields of a form, or text. */
  body: unknown
}

let requests: Request[] = []
/** Answers, keyed by method, host and path. */
let answers: Record<string, unknown> = {}
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const at = `${request.headers['x-host']}${pathname}`
    const method = request.method ?? ''
    requests.push({ method, at, query: Object.fromEntries(searchParams), headers: request.headers, body: bodyOf(request, chunks) })
    const answer = answers[`${method} ${at}`]
    response.writeHead(answer === null ? 404 : 200).end(JSON.stringify(answer ?? {}))
  })
})

function bodyOf({ headers }: IncomingMessage, chunks: Buffer[]): unknown {
  const text = Buffer.concat(chunks).toString('utf8')
  if (headers['content-type'] === 'application/json') return JSON.parse(text)
  return headers['content-type'] === 'application/x-www-form-urlencoded' ? Object.fromEntries(new URLSearchParams(text)) : text
}

export const startReceiver = () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
export const stopReceiver = () => void server.close()
/** From now on, every request succeeds. */
export function forgetAnswers(): void {
  answers = {}
}
/** The answer to `GET host/path`; null for 404. */
export function answerWith(request: string, answer: unknown): void {
  answers[request] = answer
}

export const project = {
  id: 1,
  name: 'Pump',
  web_url: 'https://forge/water/pump',
  path_with_namespace: 'water/pump',
  default_branch: 'main',
}
export const commit = (message: string, digit = 'c') => ({
  id: digit.repeat(40),
  message,
  url: `https://forge/water/pump/commit/${digit.repeat(40)}`,
  author: { name: 'Ada', email: 'a@x' },
  added: ['a'],
  modified: [],
  removed: ['b'],
})
export const push: Payload = {
  object_kind: 'push',
  ref: 'refs/heads/main',
  before: 'a'.repeat(40),
  after: 'c'.repeat(40),
  user_name: 'Ada',
  project,
  commits: [commit('Fix the <valve> @all\n\nlong text')],
  total_commits_count: 1,
}
export const removal = { ...push, after: '0'.repeat(40), commits: [], total_commits_count: 0 }
export const issue: Payload = {
  object_kind: 'issue',
  event_type: 'confidential_issue',
  user: { name: 'Ada' },
  project,
  object_attributes: {
    iid: 7,
    title: 'It <b>leaks</b> [a](b)',
    url: 'https://forge/water/pump/issues/7',
    action: 'open',
    state: 'opened',
    description: 'Water',
  },
}
export const request: Payload = {
  object_kind: 'merge_request',
  user: { name: 'Ada' },
  project,
  object_attributes: { iid: 9, title: 'Seal', url: 'https://forge/water/pump/merge_requests/9', action: 'merge', state: 'merged' },
}
export const note: Payload = {
  object_kind: 'note',
  user: { name: 'Ada' },
  project,
  object_attributes: { note: 'Nice', url: 'https://forge/water/pump/merge_requests/9#note_1', noteable_type: 'MergeRequest' },
  merge_request: { iid: 9, title: 'Seal' },
}
export const pipeline: Payload = {
  object_kind: 'pipeline',
  user: { name: 'Ada' },
  project,
  object_attributes: { id: 3, ref: 'main', tag: false, status: 'failed', duration: 63 },
}
export const wikiPage: Payload = {
  object_kind: 'wiki_page',
  user: { name: 'Ada' },
  project,
  object_attributes: { title: 'Home', url: 'https://forge/water/pump/wikis/home', action: 'create', message: 'First' },
}

/** Sends a payload by a kind of integration. Returns the requests that the receiver recorded. */
export async function send(slug: string, settings: Settings, payload: Payload = push): Promise<Request[]> {
  requests = []
  const steps = kindOf(slug)?.act?.(payload, settings, { uuid: 'u-1', sender: 'Gitstead' })
  if (!steps) throw new Error(`${slug} sends nothing`)
  for (let step = steps.next(); !step.done; ) {
    if (!('method' in step.value)) throw new Error('no HTTP')
    step = steps.next(await ask(step.value))
  }
  return requests
}

async function ask({ url, method, headers, body }: HttpCall) {
  const wanted = new URL(url)
  const { port } = server.address() as AddressInfo
  const target = { url: `http://127.0.0.1:${port}${wanted.pathname}${wanted.search}`, host: '127.0.0.1', port, credentials: null }
  const posting = {
    method,
    headers: { ...headers, 'x-host': wanted.host },
    body: Buffer.from(body),
    deadline_ms: 5_000,
    max_bytes: 10_000,
    verifies: true,
  }
  return post({ ...target, addresses: ['127.0.0.1'] }, posting)
}
