/** The second step of signing in: a code, or a passkey. */

import { Type } from 'typebox'
import { askForPasskey, finishSignIn, pendingSignIn } from '../../features/people/second-factor/second-factor.ts'
import { endSession } from '../../features/people/sessions/sessions.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { field, form, problemsOf, untouched } from '../frame/forms.ts'

const text = Type.String({ default: '' })
const address = '/users/sign_in/two_factor'

export const secondFactorSignInPages = [
  page('GET /users/sign_in/two_factor', {
    access: anyone(),
    beforeTerms: true,
    show: (visit) => codeView(visit, untouched),
  }),
  action('POST /users/sign_in/two_factor', {
    access: anyone(),
    form: { code: text, credential: text },
    beforeTerms: true,
    async act({ app, ip, agent, session_digest, pending_sign_in, sent }) {
      if (!(await pendingSignIn(app, pending_sign_in)))
        return { redirect: '/users/sign_in', notice: t`Your sign-in has ended. Sign in again.` }
      const { session, return_to, isRemembered } = await finishSignIn(app, pending_sign_in, sent, { address: ip, agent })
      if (session_digest !== null) await endSession(app.db, session_digest)
      return { session, isRemembered, redirect: return_to }
    },
    again: async (visit, typed) => {
      const view = await codeView(visit, typed)
      return 'redirect' in view ? endedView() : view
    },
  }),
]

async function codeView({ app, token, pending_sign_in }: Visit, typed: Typed): Promise<View | { redirect: string }> {
  const pending = await pendingSignIn(app, pending_sign_in)
  if (!pending) return { redirect: '/users/sign_in' }
  const options = await askForPasskey(app, pending.user_id, pending.challenge)
  const byPasskey =
    options !== null &&
    html`
      <pass-key data-request="${JSON.stringify(options)}">
        <form method="post" action="${address}">
          ${token}<input type="hidden" name="credential" value="">
          <p><button class="primary">Use a passkey</button></p>
          <p class="error" role="alert" hidden>No passkey was used. Try again, or type a code.</p>
        </form>
      </pass-key>
    `
  return {
    title: t`Second factor`,
    scripts: options === null ? [] : ['passkeys.js'],
    main: html`
      <div class="narrow">
        <h1>Second factor</h1>
        ${problemsOf(typed.errors, ['code'])}${byPasskey}
        ${form(
          { action: address, token, submit: t`Sign in`, kind: options === null ? 'primary' : 'plain' },
          field(
            t`Code`,
            'code',
            { ...typed, values: {} },
            {
              required: true,
              autofocus: options === null,
              autocomplete: 'one-time-code',
              hint: t`The six digits that your authenticator app shows, or one of your recovery codes.`,
            },
          ),
        )}
        <p><a href="/users/sign_in">Sign in as somebody else</a></p>
      </div>
    `,
  }
}

function endedView(): View {
  return {
    title: t`Sign in`,
    main: html`
      <div class="narrow">
        <h1>Sign in</h1>
        <p>Your sign-in has ended. <a href="/users/sign_in">Sign in again</a>.</p>
      </div>
    `,
  }
}
