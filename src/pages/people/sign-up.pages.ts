/** Sign-up: creates an account. */

import { Type } from 'typebox'
import { countSignUp } from '../../access/passwords/rate-limit.ts'
import { mayAct } from '../../access/states.ts'
import type { User } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { domainError, readSettings, type Settings } from '../../features/instance/settings/settings.ts'
import { beginSession, endSession } from '../../features/people/sessions/sessions.ts'
import { createUser } from '../../features/people/users/users.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { assertValid } from '../../validation.ts'
import { introductionOf } from '../frame/appearance.ts'
import { action, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { field, problemsOf, untouched } from '../frame/forms.ts'
import { proseOf } from '../frame/texts.ts'

const text = Type.String({ default: '' })

export const signUpPages = [
  page('GET /users/sign_up', {
    access: anyone(),
    beforeTerms: true,
    async show({ app, user, token }) {
      if (user) return { redirect: '/' }
      return isOpen(await readSettings(app.db)) ? formOf({ app, token }, untouched) : { redirect: '/users/sign_in' }
    },
  }),
  action('POST /users/sign_up', {
    access: anyone(),
    form: { username: text, name: text, email: text, password: text },
    beforeTerms: true,
    async act({ app, ip, agent, session_digest, sent: { username, name, email, password } }) {
      const settings = await readSettings(app.db)
      if (!isOpen(settings)) throw new Failure('forbidden', t`Sign-up is disabled.`)
      // Each attempt counts as much as a failed sign-in.
      await countSignUp(app.db, ip)
      assertValid({ email: domainError(settings, email) })
      // If addresses have to be confirmed, the account waits for its user to do so. Without a mail server nobody can, so an administrator
      // decides.
      const confirmed = !settings.send_user_confirmation_email
      const awaitsApproval = settings.require_admin_approval_after_user_signup || !(confirmed || app.mailer !== null)
      const state = awaitsApproval ? 'blocked_pending_approval' : 'active'
      const user = await createUser(app, { username, name, email, password, confirmed, state })
      if (!mayAct(user)) return welcome(user, settings)
      if (user.confirmation_required) return { redirect: '/users/almost_there' }
      if (session_digest !== null) await endSession(app.db, session_digest)
      return { session: await beginSession(app, user, { address: ip, agent }), ...(await welcome(user, settings)) }
    },
    again: formOf,
  }),
]

function isOpen({ signup_enabled, password_authentication_enabled_for_web }: Settings): boolean {
  return signup_enabled && password_authentication_enabled_for_web
}

async function welcome(user: User, { after_sign_up_text }: Settings): Promise<View> {
  const next = mayAct(user)
    ? html`<p><a href="/">Continue</a></p>`
    : html`<p>Your account has been created. It is waiting for an administrator to approve it.</p>`
  const title = t`Welcome, ${user.name}`
  return { title, main: html`<div class="narrow"><h1>${title}</h1>${await proseOf(after_sign_up_text)}${next}</div>`, status: 201 }
}

const fields = ['name', 'username', 'email', 'password']

async function formOf({ app, token }: Pick<Visit, 'app' | 'token'>, typed: Typed): Promise<View> {
  return {
    title: t`Create an account`,
    main: html`
      <div class="narrow">
        ${await introductionOf(app)}
        <h1>Create an account</h1>
        ${problemsOf(typed.errors, fields)}
        <form method="post" action="/users/sign_up">
          ${token}${field(t`Full name`, 'name', typed, { autocomplete: 'name', required: true })}
          ${field(t`Username`, 'username', typed, { autocomplete: 'username', required: true })}
          ${field(t`Email`, 'email', typed, { type: 'email', autocomplete: 'email', required: true })}
          ${field(t`Password`, 'password', typed, {
            type: 'password',
            autocomplete: 'new-password',
            minlength: 8,
            required: true,
          })}
          <button class="primary">Create account</button>
        </form>
        <p><a href="/users/sign_in">Sign in</a></p>
      </div>
    `,
  }
}
