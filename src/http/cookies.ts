/** The cookies of our pages: that of a session (spec part 5), and that of a form somebody fills in before he has one. */
import type { FastifyRequest } from 'fastify'

export const sessionCookie = '_service_session'
export const formCookie = '_service_form'

/** The value of a cookie of ours; null when none was sent that could be one. */
export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

/** Browsers keep no cookie longer; when a session ends is for the server to say. */
const longest_s = 400 * 86_400

/** The header that sets a cookie, or takes it away: out of reach of scripts, and not sent along by the forms of others. */
export function cookieHeader(name: string, value: string | null, url: string): string {
  const secure = url.startsWith('https:') ? '; Secure' : ''
  const life = value === null ? 0 : longest_s
  return `${name}=${value ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`
}
