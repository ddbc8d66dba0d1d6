/** The cookies of the pages: of a session (spec part 5), and of forms before there is a session. */
import type { FastifyRequest } from 'fastify'

export const sessionCookie = '_service_session'
export const formCookie = '_service_form'
export const noticeCookie = '_service_notice'
/** A sign-in through a provider, sealed, while the browser is there. */
export const pendingCookie = '_service_pending'

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

/** The maximum of browsers. The server decides when a session ends. */
const maxAge_s = 400 * 86_400

/** The header that sets a cookie, or deletes it (null). Scripts can't read it, and forms of other sites don't send it. */
export function cookieHeader(name: string, value: string | null, url: string): string {
  return shortCookieHeader(name, value ?? '', value === null ? 0 : maxAge_s, url)
}

/** As `cookieHeader`, for as long as given; 0 deletes the cookie. */
export function shortCookieHeader(name: string, value: string, lasts_s: number, url: string): string {
  const secure = url.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${lasts_s}; HttpOnly; SameSite=Lax${secure}`
}
