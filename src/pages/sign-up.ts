/** Sign-up: creating an account on a page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countSignUp } from '../access/rate-limit.ts'
import type { App } from '../app.ts'
import type { User } from '../db/tables.ts'
import { Failure } from '../failure.ts'
import { domainError, readSettings, type Settings } from '../features/instance/settings/settings.ts'
import { createUser } from '../features/people/users/users.ts'
import { addressOf } from '../http/address.ts'
import { assertValid } from '../validation.ts'
import { html } from './html.ts'
import { redirectTo, sendPage } from './page.ts'
import { fieldOf, openPageSession, type PageSession, senderOf, signInHere } from './page-session.ts'
import { proseOf, sentencesOf } from './texts.ts'

export function signUpPages(scope: FastifyInstance, app: App): void {
  scope.get('/users/sign_up', async (request, reply) => {
    const pageSession = await openPageSession(app, request, reply)
    if (pageSession.session) return redirectTo(reply, '/')
    return isOpen(await readSettings(app.db)) ? showForm(request, reply, pageSession) : redirectTo(reply, '/users/sign_in')
  })
  scope.post('/users/sign_up', async (request, reply) => {
    const pageSession = await senderOf(app, request)
    const settings = await readSettings(app.db)
    if (!isOpen(settings)) throw new Failure('forbidden', 'Sign-up is disabled.')
    // Each costs as much as a failed sign-in.
    await countSignUp(app.db, addressOf(request))
    try {
      const user = await signUp(app, request, settings)
      if (user.state === 'active') await signInHere(app, reply, user, pageSession.session)
      return await welcome(reply, user, settings)
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500) throw error
      return showForm(request, reply, pageSession, error)
    }
  })
}

function isOpen({ signup_enabled, password_authentication_enabled_for_web }: Settings): boolean {
  return signup_enabled && password_authentication_enabled_for_web
}

/** Where accounts have to be confirmed they wait, blocked, for an administrator: no mail is sent so far. */
async function signUp(app: App, request: FastifyRequest, settings: Settings): Promise<User> {
  const account = {
    username: fieldOf(request, 'username'),
    name: fieldOf(request, 'name'),
    email: fieldOf(request, 'email'),
    password: fieldOf(request, 'password'),
  }
  assertValid({ email: domainError(settings, account.email) })
  const waits = settings.send_user_confirmation_email
  return createUser(app, { ...account, confirmed: !waits, state: waits ? 'blocked' : 'active' })
}

async function welcome(reply: FastifyReply, { state, name }: User, { after_sign_up_text }: Settings): Promise<FastifyReply> {
  const next =
    state === 'active'
      ? html`<p><a href="/">Continue</a></p>`
      : html`<p>Your account has been created. It is waiting for an administrator to unblock it.</p>`
  return sendPage(reply, { title: `Welcome, ${name}`, body: html`${await proseOf(after_sign_up_text)}${next}`, status: 201 })
}

function showForm(request: FastifyRequest, reply: FastifyReply, { token }: PageSession, refusal?: Failure): FastifyReply {
  const body = html`<form method="post" action="/users/sign_up">${token}
<label>Full name <input name="name" value="${fieldOf(request, 'name')}" autocomplete="name" required></label>
<label>Username <input name="username" value="${fieldOf(request, 'username')}" autocomplete="username" required></label>
<label>Email <input name="email" type="email" value="${fieldOf(request, 'email')}" autocomplete="email" required></label>
<label>Password <input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
<button>Create account</button></form><p><a href="/users/sign_in">Sign in</a></p>`
  return sendPage(reply, {
    title: 'Create an account',
    body,
    ...(refusal && { status: refusal.status, fieldErrors: sentencesOf(refusal) }),
  })
}
