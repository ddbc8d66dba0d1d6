/** Requests as a client sends them, without a socket in between. */
import type { FastifyInstance } from 'fastify'

export interface Answer {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  text: string
  bytes: Buffer
}

export interface RequestOptions {
  headers?: Record<string, string>
}

export interface Client {
  get: (path: string, options?: RequestOptions) => Promise<Answer>
  head: (path: string, options?: RequestOptions) => Promise<Answer>
  delete: (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
  /** An object is sent as JSON, a string unchanged with the given content type. */
  post: (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
  put: (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
  patch: (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
  request: (method: string, path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
}

/** Paths are relative to `/api/v4`, unless they begin with two slashes. */
export function clientOf(server: FastifyInstance, credentials: Record<string, string>): Client {
  const request: Client['request'] = async (method, path, body, { headers = {} } = {}) => {
    const json = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)
    const response = await server.inject({
      method: method as 'GET',
      url: path.startsWith('//') ? path.slice(1) : `/api/v4${path}`,
      headers: { ...credentials, ...(json && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: json ? JSON.stringify(body) : (body as string) }),
    })
    const type = String(response.headers['content-type'] ?? '')
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: type.includes('json') && response.payload !== '' ? JSON.parse(response.payload) : null,
      text: response.payload,
      bytes: response.rawPayload,
    }
  }
  return {
    request,
    get: (path, options) => request('GET', path, undefined, options),
    head: (path, options) => request('HEAD', path, undefined, options),
    delete: (path, body, options) => request('DELETE', path, body, options),
    post: (path, body, options) => request('POST', path, body, options),
    put: (path, body, options) => request('PUT', path, body, options),
    patch: (path, body, options) => request('PATCH', path, body, options),
  }
}
