/** The cookies of pages: of a session (spec part 5), and of forms before there is a session. */
import type { FastifyRequest } from 'fastify'

export const sessionCookie = '_service_session'
export const formCookie = '_service_form'
export const noticeCookie = '_service_notice'
/** A sign-in that waits for the second factor. */
export const pendingCookie = '_service_sign_in'
/** A sign-in through a provider, sealed, while the browser is at the provider. */
export const providerCookie = '_service_provider'

/** The value of one of our cookies; null if absent or malformed. */
export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

/** A sealed value that was set as a cookie; null if absent or malformed. */
export function sealedCookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && /^v\d\.[\w-]{1,4000}$/.test(value) ? value : null
}

/** Browsers don't keep cookies longer. The server decides when a session ends. */
const maxAge_s = 400 * 86_400

/**
 * The header that sets a cookie, or deletes it (null). Scripts can't read it, and forms of other sites don't send it.
 * @param kept whether the browser keeps it after it is closed
 */
export function cookieHeader(name: string, value: string | null, url: string, kept = true): string {
  return headerOf(name, value ?? '', value === null ? 0 : kept ? maxAge_s : null, url)
}

/** As `cookieHeader`, with a lifetime; 0 deletes the cookie. */
export function shortCookieHeader(name: string, value: string, lasts_s: number, url: string): string {
  return headerOf(name, value, lasts_s, url)
}

function headerOf(name: string, value: string, lasts_s: number | null, url: string): string {
  const maxAge = lasts_s === null ? '' : `; Max-Age=${lasts_s}`
  const secure = url.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=/${maxAge}; HttpOnly; SameSite=Lax${secure}`
}
