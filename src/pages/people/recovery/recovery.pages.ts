/** The targets of links in account messages: a new password, a confirmed address, an unlocked account. */

import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import {
  confirmEmail,
  isGoodToken,
  resetPassword,
  type TokenPurpose,
  unlockSignIn,
} from '../../../features/people/account-tokens/account-tokens.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, hidden, problemsOf, untouched } from '../../frame/forms.ts'
import { type LinkKind, linkRequestPages, linkRequestView, narrow } from './link-request.ts'
import { sentences } from './sentences.ts'

const text = Type.String({ default: '' })

const kinds: Record<TokenPurpose, LinkKind> = {
  reset_password: {
    purpose: 'reset_password',
    at: '/users/password',
    words: () => ({ title: t`Reset your password`, about: sentences.forgotten, submit: t`Send a link` }),
  },
  confirm_email: {
    purpose: 'confirm_email',
    at: '/users/confirmation',
    words: () => ({ title: t`Confirm your email address`, about: sentences.unconfirmed, submit: t`Send a link` }),
  },
  unlock: {
    purpose: 'unlock',
    at: '/users/unlock',
    words: () => ({ title: t`Unlock your account`, about: sentences.locked, submit: t`Send a link` }),
  },
}

export const recoveryPages: Page[] = [
  ...Object.values(kinds).flatMap(linkRequestPages),
  page('GET /users/almost_there', {
    access: anyone(),
    show: () => narrow(t`Almost there`, html`<p>${sentences.almostThere}</p><p><a href="/users/confirmation/new">Send it again</a></p>`),
  }),
  page('GET /users/password/edit', {
    access: anyone(),
    query: { reset_password_token: text },
    beforeTerms: true,
    show: ({ sent, ...visit }) => ifGood('reset_password', sent.reset_password_token, visit, () => passwordView(visit, typedToken(sent))),
  }),
  action('POST /users/password/edit', {
    access: anyone(),
    form: { reset_password_token: text, password: text, password_confirmation: text },
    beforeTerms: true,
    async act({ app, sent: { reset_password_token, password, password_confirmation } }) {
      if (password !== password_confirmation) throw invalid({ password_confirmation: [sentences.passwordsDiffer] })
      await resetPassword(app, reset_password_token, password)
      return { session: null, redirect: '/users/sign_in', notice: sentences.passwordSet }
    },
    again: passwordView,
  }),
  page('GET /users/confirmation', {
    access: anyone(),
    query: { confirmation_token: text },
    beforeTerms: true,
    show: ({ sent, ...visit }) =>
      ifGood('confirm_email', sent.confirmation_token, visit, () => buttonView('confirm_email', visit, t`Confirm address`, sent)),
  }),
  action('POST /users/confirmation', {
    access: anyone(),
    form: { confirmation_token: text },
    beforeTerms: true,
    async act({ app, session_digest, sent }) {
      await confirmEmail(app, sent.confirmation_token)
      return { redirect: session_digest === null ? '/users/sign_in' : '/profile/emails', notice: sentences.confirmed }
    },
  }),
  page('GET /users/unlock', {
    access: anyone(),
    query: { unlock_token: text },
    beforeTerms: true,
    show: ({ sent, ...visit }) => ifGood('unlock', sent.unlock_token, visit, () => buttonView('unlock', visit, t`Unlock account`, sent)),
  }),
  action('POST /users/unlock', {
    access: anyone(),
    form: { unlock_token: text },
    beforeTerms: true,
    async act({ app, sent }) {
      await unlockSignIn(app, sent.unlock_token)
      return { redirect: '/users/sign_in', notice: sentences.unlocked }
    },
  }),
]

type Asking = Pick<Visit, 'app' | 'token'>

/** Opening the URL doesn't use up the token, as programs open links, too. An expired one leads to a request for another. */
async function ifGood(purpose: TokenPurpose, token: string, visit: Asking, view: () => View): Promise<View> {
  return (await isGoodToken(visit.app.db, token, purpose))
    ? view()
    : linkRequestView(kinds[purpose], visit, untouched, sentences.linkIsOver)
}

function typedToken({ reset_password_token }: { reset_password_token: string }): Typed {
  return { ...untouched, values: { reset_password_token } }
}

function passwordView({ token }: Asking, typed: Typed): View {
  return narrow(
    t`Choose a new password`,
    html`
      ${problemsOf(typed.errors, ['password', 'password_confirmation'])}
      ${form(
        { action: '/users/password/edit', token, submit: t`Change password` },
        html`
          ${hidden({ reset_password_token: typed.values.reset_password_token ?? '' })}
          ${field(t`New password`, 'password', typed, { type: 'password', autocomplete: 'new-password', minlength: 8, required: true })}
          ${field(t`Confirm new password`, 'password_confirmation', typed, {
            type: 'password',
            autocomplete: 'new-password',
            required: true,
          })}
        `,
      )}
    `,
  )
}

function buttonView(purpose: 'confirm_email' | 'unlock', { token }: Asking, submit: string, fields: Record<string, string>): View {
  const { words, at } = kinds[purpose]
  const { title } = words()
  const sentence: Html = html`<p>${purpose === 'unlock' ? sentences.unlocking : sentences.confirming}</p>`
  return narrow(title, html`${sentence}${form({ action: at, token, submit }, html`${hidden(fields)}`)}`)
}
