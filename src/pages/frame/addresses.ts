/** Addresses that lead back to a page of this service. */
import type { FastifyRequest } from 'fastify'
import { targetOf } from '../../http/parameters/target.ts'
import { isUrl } from '../../text/parse-url.ts'

/** The page to sign in at, which leads back to the page of this request: of a form, to the page where it stands. */
export function signInAddress(request: FastifyRequest): string {
  return signInFrom(request.method === 'GET' ? request.url : (formPageOf(request) ?? targetOf(request).path))
}

export function signInFrom(address: string): string {
  return address === '/' || address.startsWith('/users/') ? '/users/sign_in' : `/users/sign_in?return_to=${encodeURIComponent(address)}`
}

/** The page from which a form was sent, as the browser names it; null if it doesn't. */
export function formPageOf({ headers }: FastifyRequest): string | null {
  const { referer = '', host } = headers
  if (!isUrl(referer)) return null
  const { host: from, pathname, search } = new URL(referer)
  return from === host ? ownAddress(pathname + search) : null
}

/** A page of this service that a sign-in leads back to; null for anything else. */
export function ownAddress(sent: string | undefined): string | null {
  // A second slash or a backslash would begin the name of another host, and browsers drop control characters.
  if (sent === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(sent) || sent.includes('\\')) return null
  return sent
}
