/** Sends bytes to a user's URL: only to the checked address, in one request without redirects. */
import { type ClientRequest, type IncomingMessage, request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

export interface Sending {
  method: 'PUT' | 'POST'
  body: Readable
  /** Length of the body in bytes. */
  size: number
  /** Besides its length and the credentials of the target; by default the body is a compressed archive. */
  headers?: Record<string, string>
  deadline_ms: number
  signal?: AbortSignal | undefined
}

const archive = { 'content-type': 'application/gzip' }
/** Timeout of a connection without progress. */
const silence_ms = 60_000

/** Throws `invalid`, with text for users, if the host can't be reached or doesn't answer with a success. */
export async function send(target: PinnedTarget, { method, body, size, headers = archive, deadline_ms, signal }: Sending): Promise<void> {
  const deadline = AbortSignal.timeout(deadline_ms)
  const request = (target.url.startsWith('https:') ? requestSecurely : requestPlainly)(target.url, {
    method,
    agent: false,
    lookup: lookupOf(target.addresses),
    signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    timeout: silence_ms,
    headers: { ...headers, 'content-length': size, ...authorizationOf(target) },
  })
  request.once('timeout', () => request.destroy(new Error('nothing moves any more')))
  try {
    const answered = answerTo(request)
    let sent = 0
    body.on('data', (chunk: Buffer) => {
      sent += chunk.length
    })
    body.on('error', (error) => request.destroy(error)).pipe(request)
    const { statusCode = 0 } = await answered
    if (statusCode < 200 || statusCode > 299) throw new Failure('invalid', `The host answered with ${statusCode}`)
    // Checked here rather than at the end of the stream, since the host may answer earlier.
    if (sent < size) throw new Error('it answered before it had heard all')
  } catch (error) {
    if (signal?.aborted || error instanceof Failure) throw error
    throw new Failure('invalid', 'The host could not be reached', { cause: error })
  } finally {
    body.destroy()
    request.destroy()
  }
}

/** If the host switches protocols (101), Node.js closes the connection without an error. */
function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
    request.once('close', () => reject(new Error('it ended without an answer')))
  })
}

/** Resolves to the pinned addresses instead of asking a name server. */
export function lookupOf(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_, { all }, done) => (all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family))
}

export function authorizationOf({ credentials }: PinnedTarget): { authorization?: string } {
  if (!credentials) return {}
  return { authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` }
}
