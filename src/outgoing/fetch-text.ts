/** Downloads a text from a user's URL: only from the checked address, in one request without redirects. */
import type { IncomingMessage } from 'node:http'
import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { Failure } from '../failure.ts'
import { authorizationOf, lookupOf } from './send.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

export interface Fetching {
  max_bytes: number
  deadline_ms: number
}

/** Throws `invalid`, with text for users, if the host can't be reached, doesn't answer with a success, or sends too much. */
export async function fetchText(target: PinnedTarget, { max_bytes, deadline_ms }: Fetching): Promise<string> {
  const request = (target.url.startsWith('https:') ? requestSecurely : requestPlainly)(target.url, {
    agent: false,
    lookup: lookupOf(target.addresses),
    signal: AbortSignal.timeout(deadline_ms),
    headers: authorizationOf(target),
  })
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.on('error', reject)
      request.once('close', () => reject(new Error('it ended without an answer')))
    })
    request.end()
    const response = await answered
    const { statusCode = 0 } = response
    if (statusCode !== 200) throw new Failure('invalid', `The host answered with ${statusCode}`)
    return await textOf(response, max_bytes)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('invalid', 'The host could not be reached', { cause: error })
  } finally {
    request.destroy()
  }
}

async function textOf(response: IncomingMessage, max_bytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > max_bytes) throw new Failure('invalid', `The host sent more than ${max_bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
