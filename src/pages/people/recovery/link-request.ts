/** The pages that send a link by mail; they give the same answer whether or not the address belongs to somebody. */

import { Type } from 'typebox'
import { requestLink } from '../../../features/notifications/account-mails/account-mails.ts'
import type { TokenPurpose } from '../../../features/people/account-tokens/account-tokens.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'

export interface LinkKind {
  purpose: TokenPurpose
  /** The address of the pages: `/users/password`. */
  at: '/users/password' | '/users/confirmation' | '/users/unlock'
  words: () => { title: string; about: string; submit: string }
}

type Asking = Pick<Visit, 'app' | 'token'>

/** A form for an address, and what follows from it. */
export function linkRequestPages(kind: LinkKind): Page[] {
  return [
    page(`GET ${kind.at}/new`, { access: anyone(), beforeTerms: true, show: (visit) => linkRequestView(kind, visit, untouched) }),
    action(`POST ${kind.at}/new`, {
      access: anyone(),
      form: { email: Type.String({ default: '' }) },
      beforeTerms: true,
      async act({ app, ip, sent: { email } }) {
        await requestLink(app, kind.purpose, email, ip)
        return narrow(kind.words().title, html`<p role="status">${sentences.onItsWay}</p><p><a href="/users/sign_in">Sign in</a></p>`)
      },
      again: (visit, typed) => linkRequestView(kind, visit, typed),
    }),
  ]
}

/** @param above a message about a link that didn't work */
export function linkRequestView({ at, words }: LinkKind, { app, token }: Asking, typed: Typed, above?: string): View {
  const { title, about, submit } = words()
  if (app.mailer === null) return narrow(title, html`<p>${sentences.noMail}</p>`)
  return narrow(
    title,
    html`
      ${above !== undefined && html`<p role="alert">${above}</p>`}
      <p>${about}</p>
      ${problemsOf(typed.errors, ['email'])}
      ${form(
        { action: `${at}/new`, token, submit },
        field(t`Email`, 'email', typed, { type: 'email', autocomplete: 'email', required: true }),
      )}
      <p><a href="/users/sign_in">Sign in</a></p>
    `,
  )
}

export function narrow(title: string, content: Html): View {
  return { title, main: html`<div class="narrow"><h1>${title}</h1>${content}</div>` }
}
