/** The session of a page request, and the CSRF check of its forms. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession, formTokenOf, type Session } from '../access/sessions.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { Failure } from '../failure.ts'
import { beginSession, endSession, newSecret } from '../features/people/sessions/sessions.ts'
import { isCsrfToken } from '../http/authenticate.ts'
import { cookieHeader, cookieOf, formCookie, sessionCookie } from '../http/cookies.ts'
import { type Html, html } from './html.ts'

export interface PageSession {
  session: Session | null
  /** A hidden field for every form on the page: it proves that the form came from here. */
  token: Html
}

/** A blocked user has no session. Sets a cookie for forms if there is none. */
export async function openPageSession(app: App, request: FastifyRequest, reply: FastifyReply): Promise<PageSession> {
  const { session, secret } = await find(app, request)
  const known = secret ?? newSecret()
  if (secret === null) setCookie(app, reply, formCookie, known)
  return { session, token: tokenOf(known) }
}

/** As `openPageSession`, for a submitted form. Throws 403 for a forged one. */
export async function senderOf(app: App, request: FastifyRequest): Promise<PageSession> {
  const { session, secret } = await find(app, request)
  if (secret === null || !isCsrfToken(fieldOf(request, 'form_token'), secret)) {
    throw new Failure('forbidden', 'This form has expired. Reload the page, and allow its cookie.')
  }
  return { session, token: tokenOf(secret) }
}

function tokenOf(secret: string): Html {
  return html`<input type="hidden" name="form_token" value="${formTokenOf(secret)}">`
}

/** The user of a request for a page; null for visitors. */
export async function visitorOf(app: App, request: FastifyRequest): Promise<User | null> {
  return (await find(app, request)).session?.user ?? null
}

async function find(app: App, request: FastifyRequest): Promise<{ session: Session | null; secret: string | null }> {
  const secret = cookieOf(request, sessionCookie)
  const session = secret && (await findSession(app.db, secret))
  if (session && session.user.state === 'active') return { session, secret }
  if (session) await endSession(app.db, session.digest)
  return { session: null, secret: cookieOf(request, formCookie) }
}

/** Signs the user in, and ends the session they had. */
export async function signInHere(app: App, reply: FastifyReply, user: User, before: Session | null): Promise<void> {
  if (before) await endSession(app.db, before.digest)
  setCookie(app, reply, sessionCookie, await beginSession(app, user))
  setCookie(app, reply, formCookie, null)
}

export async function signOutHere(app: App, reply: FastifyReply, session: Session | null): Promise<void> {
  if (session) await endSession(app.db, session.digest)
  setCookie(app, reply, sessionCookie, null)
}

function setCookie({ config }: App, reply: FastifyReply, name: string, value: string | null): void {
  void reply.header('set-cookie', cookieHeader(name, value, config.url))
}

/** A field of the submitted form; empty if it is missing or no text. */
export function fieldOf(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' && !value.includes('\0') ? value : ''
}
