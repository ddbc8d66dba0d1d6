/** Signing in with a password, and signing out. */

import { Type } from 'typebox'
import { Failure, invalid } from '../../failure.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import { signInByLogin } from '../../features/people/provider-sign-in/provider-sign-in.ts'
import { offerPasskeySignIn, type PasskeySignIn, userByPasskey } from '../../features/people/second-factor/second-factor.ts'
import { assertMayBegin, beginSession, endSession } from '../../features/people/sessions/sessions.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { ownAddress } from '../frame/addresses.ts'
import { introductionOf } from '../frame/appearance.ts'
import { action, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { checkbox, field, hidden, problemsOf, untouched } from '../frame/forms.ts'
import { proseOf } from '../frame/texts.ts'
import { providerButtons } from './provider-sign-in.pages.ts'
import { signInOutcome } from './sign-in-outcome.ts'

/** A missing field gets the same answer as a wrong one. */
const text = Type.String({ default: '' })
const return_to = Type.Optional(Type.String())

export const signInPages = [
  page('GET /users/sign_in', {
    access: anyone(),
    query: { return_to },
    beforeTerms: true,
    show: ({ user, sent, ...visit }) => {
      const back = ownAddress(sent.return_to) ?? '/'
      return user ? { redirect: back } : formOf(visit, { ...untouched, values: { return_to: back } })
    },
  }),
  action('POST /users/sign_in', {
    access: anyone(),
    form: { login: text, password: text, remember_me: Type.Boolean({ default: false }), return_to },
    beforeTerms: true,
    async act({ sent, ...visit }) {
      const { app, ip } = visit
      if (!(await readSettings(app.db)).password_authentication_enabled_for_web)
        throw new Failure('forbidden', t`Signing in with a password is disabled.`)
      const user = await signInByLogin(app, { login: sent.login, password: sent.password, address: ip, by: 'password' })
      if (!user) throw invalid(t`Invalid login or password.`)
      return signInOutcome(visit, user, { return_to: sent.return_to, isRemembered: sent.remember_me })
    },
    again: formOf,
  }),
  action('POST /users/sign_in/passkey', {
    access: anyone(),
    form: { offer: text, credential: text, return_to },
    beforeTerms: true,
    async act({ sent, ...visit }) {
      const { app, ip, agent, session_digest } = visit
      const user = await userByPasskey(app, sent, ip)
      await assertMayBegin(app, user)
      if (session_digest !== null) await endSession(app.db, session_digest)
      const session = await beginSession(app, user, { address: ip, agent }, { isProved: true })
      return { session, redirect: ownAddress(sent.return_to) ?? '/' }
    },
    again: formOf,
  }),
  action('POST /users/sign_out', {
    access: anyone(),
    beforeTerms: true,
    async act({ app, session_digest }) {
      if (session_digest !== null) await endSession(app.db, session_digest)
      return { session: null, redirect: (await readSettings(app.db)).after_sign_out_path || '/users/sign_in' }
    },
  }),
]

const forgotten = () => html`
  <p><a href="/users/password/new">Forgot your password?</a></p>
  <p><a href="/users/confirmation/new">Send the confirmation of an address again</a></p>
  <p><a href="/users/unlock/new">Unlock your account</a></p>
`

/** Shown where the browser can. */
function passkeyForm({ options, sealed }: PasskeySignIn, token: Html, return_to: string): Html {
  return html`
    <pass-key data-request="${JSON.stringify(options)}">
      <form method="post" action="/users/sign_in/passkey">
        ${token}${hidden({ return_to, offer: sealed, credential: '' })}
        <p><button>Sign in with a passkey</button></p>
        <p class="error" role="alert" hidden>No passkey was used. Try again, or sign in another way.</p>
      </form>
    </pass-key>
  `
}

async function formOf({ app, token }: Pick<Visit, 'app' | 'token'>, typed: Typed): Promise<View> {
  const { sign_in_text, password_authentication_enabled_for_web: open, signup_enabled } = await readSettings(app.db)
  const return_to = ownAddress(typed.values.return_to) ?? '/'
  const others = await providerButtons({ app, token }, return_to)
  const passkey = await offerPasskeySignIn(app)
  const form = html`
    <form method="post" action="/users/sign_in">
      ${token}<input type="hidden" name="return_to" value="${return_to}">
      ${field(t`Username or email`, 'login', typed, { autocomplete: 'username', required: true, autofocus: true })}
      ${field(t`Password`, 'password', typed, { type: 'password', autocomplete: 'current-password', required: true })}
      ${checkbox(t`Remember me`, 'remember_me', typed, {
        value: 'false',
        hint: t`For two weeks after your last visit. Otherwise until you close the browser.`,
      })}
      <button class="primary">Sign in</button>
    </form>
  `
  return {
    title: t`Sign in`,
    scripts: passkey === null ? [] : ['passkeys.js'],
    main: html`
      <div class="narrow">
        ${await introductionOf(app)}
        <h1>Sign in</h1>
        ${await proseOf(sign_in_text)}${problemsOf(typed.errors, ['login', 'password'])}
        ${open && form}${passkey && passkeyForm(passkey, token, return_to)}${others}
        ${!open && others === null && passkey === null && html`<p>Signing in with a password is disabled.</p>`}
        ${open && app.mailer !== null && forgotten()}
        ${open && signup_enabled && html`<p><a href="/users/sign_up">Create an account</a></p>`}
      </div>
    `,
  }
}
