/**
 * Entity tags of JSON replies: a client that sends the tag of its copy in `If-None-Match` gets 304 while the reply would be the same. The
 * reply is computed each time, after the access check: a tag only saves bytes, and tells nobody what they may not read.
 */
import { hasAlready } from './ranges.ts'

type Head = Record<string, string | number>

/** Only the client itself may cache a reply, and must ask before each use, as its access may have ended. */
const askedAgain = 'max-age=0, private, must-revalidate'

/** Empty if the endpoint has set its own caching, and for statuses for which the reference sends no tag. */
export function entityHeaders(status: number, headers: Record<string, string> | undefined, etag: string): Record<string, string> {
  if ((status !== 200 && status !== 201) || headers?.['cache-control'] !== undefined) return {}
  return { etag, 'cache-control': askedAgain }
}

/** Whether the client's copy is the same as the reply with this head. */
export function hasAnswer(ifNoneMatch: string | undefined, status: number, { etag }: Head): boolean {
  return status === 200 && typeof etag === 'string' && hasAlready(ifNoneMatch, etag)
}

/** The head of 304: that of the reply, without the fields that describe its body. */
export function unchangedHead({ 'content-type': _, 'content-length': __, ...rest }: Head): Head {
  return rest
}
