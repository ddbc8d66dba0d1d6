/** Posts a small body to a user's URL, and reads the beginning of the answer: only at the checked address, without redirects. */
import { type IncomingMessage, request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { Failure } from '../failure.ts'
import { authorizationOf, lookupOf } from './send.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

export interface Posting {
  method?: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body: Buffer
  deadline_ms: number
  /** Maximum of the answer that is read. */
  max_bytes: number
  /** Whether to verify the certificate. */
  verifies: boolean
  signal?: AbortSignal | undefined
}

export interface Posted {
  status: number
  headers: Record<string, string>
  /** Only the beginning, if the answer is long or slow. */
  body: string
}

/** Returns answers with any status. Throws `invalid`, with text for users, if there is no answer in time. */
export async function post(target: PinnedTarget, posting: Posting): Promise<Posted> {
  const { method = 'POST', headers, body, deadline_ms, verifies, signal } = posting
  const deadline = AbortSignal.timeout(deadline_ms)
  const request = (target.url.startsWith('https:') ? requestSecurely : requestPlainly)(target.url, {
    method,
    agent: false,
    lookup: lookupOf(target.addresses),
    signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    rejectUnauthorized: verifies,
    maxHeaderSize: 16_384,
    headers: { ...headers, ...(method !== 'GET' && { 'content-length': body.length }), ...authorizationOf(target) },
  })
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.on('error', reject)
      request.once('close', () => reject(new Error('it ended without an answer')))
      request.end(body)
    })
    return { status: response.statusCode ?? 0, headers: textHeaders(response), body: await beginningOf(response, posting.max_bytes) }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Failure('invalid', deadline.aborted ? `No answer within ${deadline_ms / 1_000} seconds` : reasonOf(error), { cause: error })
  } finally {
    request.destroy()
  }
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** An answer that never ends still counts: its status is known. */
async function beginningOf(response: IncomingMessage, max_bytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= max_bytes) break
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, max_bytes).toString('utf8')
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'The host refused the connection',
  ECONNRESET: 'The host closed the connection',
  EHOSTUNREACH: 'The host could not be reached',
  ENETUNREACH: 'The host could not be reached',
  ETIMEDOUT: 'The host could not be reached in time',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the host is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the host is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name',
}

function reasonOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code.startsWith('HPE_')) return 'The host does not speak HTTP'
  return reasons[code] ?? 'The host could not be reached'
}
