/** The session of a page request, and the proof that a form came from one of our pages. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, type Principal } from '../../access/principals.ts'
import { findSession, holderOfSession, maskedFormToken, type Session } from '../../access/sessions.ts'
import { mayAct } from '../../access/states.ts'
import { passwordHasExpired } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { pendingLasts_s } from '../../features/people/second-factor/second-factor.ts'
import { endSession, newSecret } from '../../features/people/sessions/sessions.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { isCsrfToken } from '../../http/caller/authenticate.ts'
import {
  cookieHeader,
  cookieOf,
  formCookie,
  pendingCookie,
  providerCookie,
  sealedCookieOf,
  sessionCookie,
  shortCookieHeader,
} from '../../http/caller/cookies.ts'
import { isObject, type Parameters } from '../../http/parameters/parameters.ts'
import { withLineFeeds } from '../../text/line-breaks.ts'
import { isUrl } from '../../text/parse-url.ts'
import type { Page } from './declaration.ts'

export interface PageSession {
  session: Session | null
  /** The value of the session cookie, or of the cookie for forms. */
  secret: string
  /** A hidden field for every form on the page. */
  token: Html
}

/** Blocked users have no session. Sets a cookie for forms if there is none. */
export async function openPageSession(app: App, request: FastifyRequest, reply: FastifyReply): Promise<PageSession> {
  const { session, secret } = await find(app, request)
  const known = secret ?? newSecret()
  if (secret === null) addCookie(app, reply, formCookie, known)
  return { session, secret: known, token: tokenOf(known) }
}

/**
 * As `openPageSession`, for a submitted form. Throws 403 if another site has sent it, or it has expired. The token of a form with files is
 * in a part that is read later: `assertToken`.
 */
export async function senderOf(app: App, request: FastifyRequest): Promise<PageSession> {
  const { session, secret } = await find(app, request)
  if (!isFromHere(app, request) || secret === null) throw formHasExpired()
  // Set before anything is rejected, so that the error page knows who reads it.
  request.pageSession = { session, secret, token: tokenOf(secret) }
  if (!request.isMultipart()) assertToken(fieldOf(request, 'form_token'), secret)
  return request.pageSession
}

export function assertToken(sent: string, secret: string): void {
  if (!isCsrfToken(sent, secret)) throw formHasExpired()
}

export function formHasExpired(): Failure {
  return new Failure('forbidden', t`This form has expired. Reload the page, and allow its cookie.`)
}

/**
 * True unless the headers of the browser name another site. `Sec-Fetch-Site` takes precedence: a proxy that sets a referrer policy can turn
 * `Origin` into `null`.
 */
function isFromHere({ config }: App, { headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  if (origin === undefined) return true
  return origin === new URL(config.url).origin || (isUrl(origin) && new URL(origin).host === headers.host)
}

export function tokenOf(secret: string): Html {
  return html`<input type="hidden" name="form_token" value="${maskedFormToken(secret)}">`
}

/** The user of a request for a page; null for visitors. */
export async function visitorOf(app: App, request: FastifyRequest): Promise<User | null> {
  return (await sessionOf(app, request))?.user ?? null
}

export async function sessionOf(app: App, request: FastifyRequest): Promise<Session | null> {
  return (await find(app, request)).session
}

async function find(app: App, request: FastifyRequest): Promise<{ session: Session | null; secret: string | null }> {
  const secret = cookieOf(request, sessionCookie)
  const session = secret && (await findSession(app.db, secret))
  if (session && mayAct(session.user)) return { session, secret }
  if (session) await endSession(app.db, session.digest)
  return { session: null, secret: cookieOf(request, formCookie) }
}

/** The principal of a session, for access rules. */
export function principalOf(session: Session | null): Principal {
  return session ? holderOfSession(session, ['api']) : anonymous
}

/** The page that a user must see before this one; null for none. */
export function pageBefore(page: Pick<Page, 'beforeTerms' | 'beforeSecondFactor'> | null, session: Session | null): string | null {
  if (!session || session.impersonator !== null) return null
  if (!page?.beforeTerms) {
    if (passwordHasExpired(session.user)) return '/users/password'
    if (session.awaits_terms) return '/-/terms'
  }
  return session.awaits_second_factor && !page?.beforeSecondFactor ? '/profile/two_factor_auth' : null
}

/** Gives the browser another session, or none (null). The caller has ended the previous one. */
export function setSession(app: App, reply: FastifyReply, secret: string | null, isRemembered: boolean): void {
  addCookie(app, reply, sessionCookie, secret, isRemembered)
  if (secret === null) return
  addCookie(app, reply, formCookie, null)
  addCookie(app, reply, pendingCookie, null)
}

/** Remembers a sign-in that waits for the second factor. */
export function setPendingSignIn({ config }: App, reply: FastifyReply, secret: string): void {
  void reply.header('set-cookie', shortCookieHeader(pendingCookie, secret, pendingLasts_s, config.url))
}

const providerSignIn_s = 600

/** Stores the value of an action in the browser, or deletes it (null). */
export function setProviderSignIn({ config }: App, reply: FastifyReply, sealed: string | null): void {
  void reply.header('set-cookie', shortCookieHeader(providerCookie, sealed ?? '', sealed === null ? 0 : providerSignIn_s, config.url))
}

export function providerSignInOf(request: FastifyRequest): string | null {
  return sealedCookieOf(request, providerCookie)
}

const kept_s = 30 * 86_400

/** Cookies that only store preferences, for a month. */
export function setCookies({ config }: App, reply: FastifyReply, cookies: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(cookies)) void reply.header('set-cookie', shortCookieHeader(name, value, kept_s, config.url))
}

function addCookie({ config }: App, reply: FastifyReply, name: string, value: string | null, isKept = true): void {
  void reply.header('set-cookie', cookieHeader(name, value, config.url, isKept))
}

/** A field of the submitted form; empty if it is missing or not text. */
function fieldOf(request: FastifyRequest, name: string): string {
  const value = fieldsOf(request)[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The fields of the submitted form. Browsers and scripts send each line break as two characters, which belongs to the transport and not to
 * the text. The content of files is unchanged.
 */
export function fieldsOf(request: FastifyRequest): Parameters {
  return asTyped((request.body ?? {}) as Parameters) as Parameters
}

function asTyped(value: unknown): unknown {
  if (typeof value === 'string') return withLineFeeds(value)
  if (Array.isArray(value)) return value.map(asTyped)
  const isNested = isObject(value) && [null, Object.prototype].includes(Object.getPrototypeOf(value))
  return isNested ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asTyped(one)])) : value
}

/** The text fields, to be shown again: without NUL, which no page can contain. */
export function typedIn(request: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldsOf(request)).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.replaceAll('\0', '')]] : [])),
  )
}
