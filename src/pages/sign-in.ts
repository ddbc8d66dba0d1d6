/** Signing in with a password, and out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { signInByPassword } from '../access/users.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { readSettings } from '../features/instance/settings/settings.ts'
import { addressOf } from '../http/address.ts'
import { html } from './html.ts'
import { type Page, redirectTo, sendPage } from './page.ts'
import { fieldOf, openPageSession, type PageSession, senderOf, signInHere, signOutHere } from './page-session.ts'
import { proseOf } from './texts.ts'

export function signInPages(scope: FastifyInstance, app: App): void {
  scope.get('/users/sign_in', async (request, reply) => {
    const pageSession = await openPageSession(app, request, reply)
    return pageSession.session ? redirectTo(reply, '/') : showForm(app, request, reply, pageSession)
  })
  scope.post('/users/sign_in', async (request, reply) => {
    const pageSession = await senderOf(app, request)
    const refused = (status: number, ...fieldErrors: string[]) => showForm(app, request, reply, pageSession, { status, fieldErrors })
    if (!(await readSettings(app.db)).password_authentication_enabled_for_web) return refused(403)
    const user = await signInByPassword(app.db, fieldOf(request, 'login'), fieldOf(request, 'password'), addressOf(request))
    if (!user) return refused(422, 'Invalid login or password.')
    const fieldError = blockedMessage(user)
    if (fieldError) return refused(403, fieldError)
    await signInHere(app, reply, user, pageSession.session)
    return redirectTo(reply, '/')
  })
  scope.post('/users/sign_out', async (request, reply) => {
    await signOutHere(app, reply, (await senderOf(app, request)).session)
    return redirectTo(reply, (await readSettings(app.db)).after_sign_out_path || '/users/sign_in')
  })
}

/** Shown only after the right password. An account that was never confirmed is blocked from the start. */
function blockedMessage({ state, confirmed_at }: User): string | null {
  if (state === 'active') return null
  return confirmed_at === null ? 'Your account is waiting for an administrator to unblock it.' : 'Your account has been blocked.'
}

async function showForm(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: PageSession,
  refusal: Pick<Page, 'status' | 'fieldErrors'> = {},
): Promise<FastifyReply> {
  const { sign_in_text, password_authentication_enabled_for_web: open, signup_enabled } = await readSettings(app.db)
  const form = html`<form method="post" action="/users/sign_in">${token}
<label>Username or email <input name="login" value="${fieldOf(request, 'login')}" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form>`
  const body = html`${await proseOf(sign_in_text)}
${open ? form : html`<p>Signing in with a password is disabled.</p>`}
${open && signup_enabled && html`<p><a href="/users/sign_up">Create an account</a></p>`}<p><a href="/help">Help</a></p>`
  return sendPage(reply, { title: 'Sign in', body, ...refusal })
}
