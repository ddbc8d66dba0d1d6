/** A client of large files for tests: what it sends is what a real one would, or worse. */
import { createHash } from 'node:crypto'
import type { Answer } from './client.ts'
import type { Forge, TestUser } from './forge.ts'

const type = 'application/vnd.git-lfs+json'

export interface LfsClient {
  /** Any request below `info/lfs/`. */
  send: (method: string, action: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  batch: (operation: string, ...objects: Array<{ oid: string; size: number }>) => Promise<Answer>
  put: (content: Buffer, oid?: string) => Promise<Answer>
  get: (oid: string, headers?: Record<string, string>) => Promise<Answer>
}

/** Who asks is a user, nobody, or whoever has this Authorization header. */
export function lfsClient(forge: Forge, project: { full_path: string }, who: TestUser | string | null): LfsClient {
  const authorization = who === null || typeof who === 'string' ? who : basicOf(who.username, who.token)
  const send: LfsClient['send'] = (method, action, body, headers = {}) =>
    forge.anonymous.request(method, `//${project.full_path}.git/info/lfs/${action}`, asPayload(body), {
      headers: { ...(authorization && { authorization }), accept: type, 'content-type': type, ...headers },
    })
  return {
    send,
    batch: (operation, ...objects) => send('POST', 'objects/batch', { operation, transfers: ['basic'], objects }),
    put: (content, oid = oidOf(content)) => send('PUT', `objects/${oid}`, content, { 'content-type': 'application/octet-stream' }),
    get: (oid, headers) => send('GET', `objects/${oid}`, undefined, headers),
  }
}

/** JSON is sent as text, so that the content type stays the one of large files. */
function asPayload(body: unknown): unknown {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

export function basicOf(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
}

export function oidOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

let counter = 0

/** A file that no other test has. */
export function uniqueFile(size = 100): { content: Buffer; oid: string; size: number } {
  const content = Buffer.alloc(size, `${process.pid} ${Date.now()} ${++counter} `)
  return { content, oid: oidOf(content), size }
}
