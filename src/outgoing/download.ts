/** Downloads from a user's URL as a stream: only from the checked address, and from where it leads only if the caller checks that, too. */
import { type IncomingMessage, request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { lookupOf } from './send.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

export interface Downloading {
  headers: Record<string, string>
  deadline_ms: number
  signal: AbortSignal
  /** Checks where a redirect leads. Without it, a redirect is a failure. */
  follow?: (url: string) => Promise<PinnedTarget>
}

const maxRedirects = 3

/** Timeout of a connection without progress. */
const silence_ms = 60_000

/** Throws `invalid`, with text for users, if the host can't be reached or doesn't answer with 200. The connection ends with the stream. */
export async function openDownload(target: PinnedTarget, downloading: Downloading, followed = 0): Promise<Readable> {
  const { headers, deadline_ms, signal, follow } = downloading
  const request = (target.url.startsWith('https:') ? requestSecurely : requestPlainly)(target.url, {
    agent: false,
    lookup: lookupOf(target.addresses),
    signal: AbortSignal.any([AbortSignal.timeout(deadline_ms), signal]),
    timeout: silence_ms,
    headers,
  })
  request.once('timeout', () => request.destroy(new Error('nothing moves any more')))
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.on('error', reject)
      request.once('close', () => reject(new Error('it ended without an answer')))
      request.end()
    })
    const next = follow && followed < maxRedirects ? nextUrl(target, response) : null
    if (follow && next !== null) {
      request.destroy()
      return await openDownload(await follow(next), downloading, followed + 1)
    }
    if (response.statusCode !== 200) throw new Failure('invalid', `The host answered with ${response.statusCode}`)
    return response
  } catch (error) {
    request.destroy()
    if (signal.aborted || error instanceof Failure) throw error
    throw new Failure('invalid', 'The host could not be reached', { cause: error })
  }
}

function nextUrl({ url }: PinnedTarget, { statusCode = 0, headers: { location } }: IncomingMessage): string | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return null
  try {
    return new URL(location, url).href
  } catch {
    return null
  }
}
