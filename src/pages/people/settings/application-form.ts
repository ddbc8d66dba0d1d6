/** Shared by the pages of a user's own applications and those of the instance: the form, the list, and the secret, which is shown once. */

import { Type } from 'typebox'
import { applicationScopes } from '../../../access/levels.ts'
import type { OAuthApplication } from '../../../db/tables.ts'
import type { WantedApplication } from '../../../features/people/oauth-applications/oauth-applications.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, dangerous, errorLine, field, form, problemsOf, textArea } from '../../frame/forms.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { scopeMeaning, sentences } from './sentences.ts'
import type { InnerView } from './settings-view.ts'

const box = Type.Boolean({ default: false })
const text = Type.String({ default: '' })

type BoxName = `scope_${(typeof applicationScopes)[number]}`

export const applicationFields = {
  name: text,
  redirect_uri: text,
  confidential: box,
  /** The user's password or code, which creating an application requires once more. */
  proof: text,
  ...(Object.fromEntries(applicationScopes.map((scope) => [`scope_${scope}`, box])) as Record<BoxName, typeof box>),
}

type Sent = { name: string; redirect_uri: string } & Readonly<Record<BoxName, boolean>>

/** The application in a submitted form. */
export function wantedIn(sent: Sent): WantedApplication {
  const scopes = applicationScopes.filter((scope) => sent[`scope_${scope}`])
  return { name: sent.name, redirect_uri: sent.redirect_uri, scopes: scopes.join(' ') }
}

interface FormAsked {
  action: string
  token: Html
  /** The application to change; null for a new one. */
  row: OAuthApplication | null
  /** Further fields. */
  more?: Html | null
}

export function applicationForm({ action, token, row, more = null }: FormAsked, typed: Typed): Html {
  const chosen = row?.scopes.split(' ') ?? []
  return html`
    ${problemsOf(typed.errors, ['name', 'redirect_uri', 'scopes', 'proof'])}${form(
      { action, token, submit: row ? t`Save application` : t`Create application` },
      html`
        ${field(t`Name`, 'name', typed, { value: row?.name, required: true })}
        ${textArea(t`Redirect URIs`, 'redirect_uri', typed, {
          value: row?.redirect_uris,
          rows: 3,
          required: true,
          hint: sentences.redirectUris,
        })}
        ${row === null && checkbox(t`Confidential`, 'confidential', typed, { value: 'true', hint: sentences.confidential })}${more}
        <fieldset class="scopes">
          <legend>Scopes</legend>
          ${errorLine(typed.errors.of.scopes ?? [])}
          ${applicationScopes.map((scope) =>
            checkbox(scope, `scope_${scope}`, typed, {
              value: chosen.includes(scope) ? 'true' : 'false',
              hint: `${scopeMeaning(scope, 'reader')}.`,
            }),
          )}
        </fieldset>
      `,
    )}
  `
}

/** A row of the list, which links to the application's page. */
export function applicationRow({ id, name, uid, created_at, confidential, trusted, registered }: OAuthApplication, address: string): Html {
  const tags = [!confidential && 'public', trusted && 'trusted', registered && t`registered itself`].filter((tag) => tag !== false)
  return html`
    <li>
      <div class="what">
        <a href="${address}/${id}">${isolated(name)}</a> ${tags.map((tag) => html`<span class="tag">${tag}</span> `)}
        <p><code>${uid}</code></p>
      </div>
      <div class="facts"><span>created ${ago(created_at)}</span></div>
    </li>
  `
}

/** An application with its new secret: this page can't be opened again. */
export function newApplicationView({ row, secret, address }: { row: OAuthApplication; secret: string | null; address: string }): InnerView {
  return {
    title: t`New application`,
    status: 201,
    main: html`
      <h1>${isolated(row.name)}</h1>
      <h2>Application ID</h2>
      ${copyable(t`Application ID`, row.uid)}
      <h2>Secret</h2>
      ${secret === null ? html`<p>${sentences.publicApplication}</p>` : html`<p>${sentences.secretOnce}</p>${copyable(t`Secret`, secret)}`}
      <p><a href="${address}">Back to the applications</a></p>
    `,
  }
}

interface OneAsked extends FormAsked {
  row: OAuthApplication
  address: string
  /** Asks who it is before the secret is renewed; null where that isn't needed. */
  proof: Html | null
}

/** The page of one application: edit it, renew its secret, delete it. */
export function applicationView({ row, token, address, more = null, proof }: Omit<OneAsked, 'action'>, typed: Typed): InnerView {
  const at = `${address}/${row.id}`
  const renewal = form({ action: `${at}/renew_secret`, token, submit: t`Renew secret`, kind: 'danger' }, html`${proof}`)
  const removal = form({ action: `${at}/delete`, token, submit: t`Delete application`, kind: 'danger' }, html``)
  return {
    title: t`Application`,
    main: html`
      <h1>${isolated(row.name)}</h1>
      <h2>Application ID</h2>
      ${copyable(t`Application ID`, row.uid)}
      ${
        row.confidential
          ? dangerous(t`Renew secret`, html`<p>${sentences.secretRenewal}</p>${renewal}`)
          : html`<p>${sentences.publicApplication}</p>`
      }
      <h2>Edit</h2>
      ${applicationForm({ action: at, token, row, more }, typed)}
      ${dangerous(t`Delete`, html`<p>${sentences.applicationDeletion}</p>${removal}`)}
      <p><a href="${address}">All applications</a></p>
    `,
  }
}
