/**
 * Entity tags of JSON answers: who sends the tag of the answer they have in `If-None-Match` gets 304 while it would be the same. The answer
 * is made each time, once the caller was admitted: a tag saves what is sent, and tells nobody what they may not read.
 */
import { hasAlready } from './ranges.ts'

type Head = Record<string, string | number>

/** Only the client may keep an answer, and asks again before using it. */
const askedAgain = 'max-age=0, private, must-revalidate'

/** None where the endpoint says how its answer may be kept, and for statuses that the reference gives none. */
export function entityHeaders(status: number, headers: Record<string, string> | undefined, etag: string): Record<string, string> {
  if ((status !== 200 && status !== 201) || headers?.['cache-control'] !== undefined) return {}
  return { etag, 'cache-control': askedAgain }
}

/** Whether the client has the answer with this head already. */
export function hasAnswer(ifNoneMatch: string | undefined, status: number, { etag }: Head): boolean {
  return status === 200 && typeof etag === 'string' && hasAlready(ifNoneMatch, etag)
}

/** The head of 304: that of the answer, without what describes its body. */
export function unchangedHead({ 'content-type': _, 'content-length': __, ...rest }: Head): Head {
  return rest
}
