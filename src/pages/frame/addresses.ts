/** URLs that lead back to a page of this instance. */
import type { FastifyRequest } from 'fastify'
import { targetOf } from '../../http/parameters/target.ts'
import { isUrl } from '../../text/parse-url.ts'

/** The URL of the sign-in page, which leads back to the page of this request; for a form, to the page that contains it. */
export function signInAddress(request: FastifyRequest): string {
  return signInFrom(request.method === 'GET' ? request.url : (formPageOf(request) ?? targetOf(request).path))
}

export function signInFrom(address: string): string {
  return address === '/' || address.startsWith('/users/') ? '/users/sign_in' : `/users/sign_in?return_to=${encodeURIComponent(address)}`
}

/** The page from which a form was sent, according to the browser; null if it doesn't say. */
export function formPageOf({ headers }: FastifyRequest): string | null {
  const { referer = '', host } = headers
  if (!isUrl(referer)) return null
  const { host: from, pathname, search } = new URL(referer)
  return from === host ? ownAddress(pathname + search) : null
}

/** A page of this instance to return to after sign-in; null for anything else. */
export function ownAddress(sent: string | undefined): string | null {
  // A second slash or a backslash would begin the name of another host, and browsers drop control characters.
  if (sent === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(sent) || sent.includes('\\')) return null
  return sent
}
