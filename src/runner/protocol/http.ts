/** Requests to the server: small replies as text, downloads as files. Connections are reused. */
import { createWriteStream } from 'node:fs'
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  headers?: Record<string, string> | undefined
  body?: string | Buffer | Readable
  /** Maximum inactivity of the server; longer than any long poll. */
  silence_ms?: number
  signal?: AbortSignal | undefined
}

export interface Reply {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

const defaultSilence_ms = 120_000
const maxReply_bytes = 64 * 1024 * 1024
const maxRedirects = 3
const http = new HttpAgent({ keepAlive: true })
const https = new HttpsAgent({ keepAlive: true })

/** Sends a request and reads the whole reply, whatever its status. Rejects if there is none. */
export async function send(call: Call): Promise<Reply> {
  const response = await start(call)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxReply_bytes) throw new Error(`the server's reply is longer than ${maxReply_bytes} bytes`)
    chunks.push(chunk)
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }
}

/** Writes a reply of status 200 to a new file, following redirects, and returns the status. */
export async function download(call: Call, file: string): Promise<number> {
  let { url, headers } = call
  for (let hops = 0; ; hops++) {
    const response = await start({ ...call, url, headers })
    const { statusCode: status = 0 } = response
    const location = status >= 300 && status < 400 ? response.headers.location : undefined
    if (status === 200) {
      await pipeline(response, createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      return status
    }
    response.resume()
    if (location === undefined || hops === maxRedirects) return status
    const next = new URL(location, url)
    if (next.protocol !== 'http:' && next.protocol !== 'https:') return status
    // An object store is another host and must not get the token.
    if (next.host !== url.host) headers = undefined
    url = next
  }
}

function start(call: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isSecure = call.url.protocol === 'https:'
    const options = { method: call.method, headers: headersOf(call), agent: isSecure ? https : http, signal: call.signal }
    const request = (isSecure ? requestHttps : requestHttp)(call.url, options)
    const silence_ms = call.silence_ms ?? defaultSilence_ms
    request.setTimeout(silence_ms, () => request.destroy(new Error(`no answer from ${call.url.host} for ${silence_ms / 1000} s`)))
    request.once('response', resolve)
    request.once('error', (error: NodeJS.ErrnoException) => {
      if (wasClosedBefore(request, error) && !(call.body instanceof Readable)) resolve(start(call))
      else reject(error)
    })
    writeBody(request, call.body)
  })
}

/** Whether the server had closed an idle connection just before this request took it: the request never arrived, and is sent again. */
function wasClosedBefore(request: ClientRequest, { code = '' }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
}

function headersOf({ body, headers }: Call): Record<string, string> {
  if (body === undefined || body instanceof Readable) return { ...headers }
  return { ...headers, 'Content-Length': String(Buffer.byteLength(body)) }
}

function writeBody(request: ClientRequest, body: Call['body']): void {
  if (!(body instanceof Readable)) {
    request.end(body)
    return
  }
  body.once('error', (error) => request.destroy(error))
  // A server that has rejected the request may stop reading; the rest need not be sent.
  request.once('close', () => body.destroy())
  body.pipe(request)
}
