/** Changing the password, by choice or because an administrator set it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../access/sessions.ts'
import { passwordHasExpired, signInByPassword } from '../access/users.ts'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { changeUser } from '../features/people/users/users.ts'
import { addressOf } from '../http/address.ts'
import { html } from './html.ts'
import { redirectTo, sendPage } from './page.ts'
import { fieldOf, openPageSession, type PageSession, senderOf } from './page-session.ts'
import { sentencesOf } from './texts.ts'

export function passwordPages(scope: FastifyInstance, app: App): void {
  scope.get('/users/password', async (request, reply) => {
    const pageSession = await openPageSession(app, request, reply)
    return pageSession.session ? showForm(reply, pageSession) : redirectTo(reply, '/users/sign_in')
  })
  scope.post('/users/password', async (request, reply) => {
    const pageSession = await senderOf(app, request)
    const { session } = pageSession
    if (!session) return redirectTo(reply, '/users/sign_in')
    const fieldError = await formError(app, request, session)
    if (fieldError) return showForm(reply, pageSession, [fieldError])
    try {
      // Ends all other sessions: somebody may know the old password.
      await changeUser(app, session.user.id, { password: fieldOf(request, 'password'), session: session.digest })
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500) throw error
      return showForm(reply, pageSession, sentencesOf(error))
    }
    return redirectTo(reply, '/')
  })
}

async function formError(app: App, request: FastifyRequest, { user }: Session): Promise<string | null> {
  const [current, password] = [fieldOf(request, 'current_password'), fieldOf(request, 'password')]
  const right = await signInByPassword(app.db, user.username, current, addressOf(request))
  if (right?.id !== user.id) return 'The current password is wrong.'
  if (password !== fieldOf(request, 'password_confirmation')) return 'The new passwords do not match.'
  return password === current ? 'The new password must differ from the current one.' : null
}

function showForm(reply: FastifyReply, { session, token }: PageSession, fieldErrors: string[] = []): FastifyReply {
  const forced =
    session && passwordHasExpired(session.user) && html`<p>An administrator set your password. Choose a new one to continue.</p>`
  const body = html`${forced}<form method="post" action="/users/password">${token}
<label>Current password <input name="current_password" type="password" autocomplete="current-password" required></label>
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
<label>Confirm new password <input name="password_confirmation" type="password" autocomplete="new-password" required></label>
<button>Change password</button></form>`
  return sendPage(reply, { title: 'Change password', body, status: fieldErrors.length > 0 ? 422 : 200, fieldErrors })
}
