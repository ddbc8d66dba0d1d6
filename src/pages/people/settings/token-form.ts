/** Shared by the pages of access tokens: the form, a row of the list, and the token, which is shown once. */

import { Type } from 'typebox'
import { scopes as allScopes, type Scope } from '../../../access/levels.ts'
import { type AccessToken, stateOf } from '../../../access/tokens.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, dangerous, errorLine, field, form, untouched } from '../../frame/forms.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { scopeMeaning, sentences, type TokenUser } from './sentences.ts'
import type { InnerView } from './settings-view.ts'

const box = Type.Boolean({ default: false })

type BoxName = `scope_${Scope}`

/** A checkbox for each scope. */
export const scopeFields = Object.fromEntries(allScopes.map((scope) => [`scope_${scope}`, box])) as Record<BoxName, typeof box>

/** The scopes whose checkboxes are checked. */
export function scopesIn(sent: Readonly<Record<BoxName, boolean>>): Scope[] {
  return allScopes.filter((scope) => sent[`scope_${scope}`])
}

interface TokenForm {
  action: string
  token: Html
  scopes: readonly Scope[]
  /** The reader by default. */
  user?: TokenUser
  /** The field that asks for confirmation; null if it isn't needed. */
  proof?: Html | null
}

/** The form for a new token with some of these scopes. */
export function tokenForm({ action, token, scopes, user = 'reader', proof = null }: TokenForm, typed: Typed): Html {
  return form(
    { action, token, submit: t`Create token` },
    html`
      <div class="pair">
        ${field(t`Name`, 'name', typed, { required: true, hint: t`What it is for.` })}
        ${field(t`Expires`, 'expires_at', typed, { type: 'date', hint: sentences.tokenExpiry })}
      </div>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        ${errorLine(typed.errors.of.scopes ?? [])}
        ${scopes.map((scope) => checkbox(scope, `scope_${scope}`, typed, { value: 'false', hint: `${scopeMeaning(scope, user)}.` }))}
      </fieldset>
      ${proof}
    `,
  )
}

interface NewToken {
  row: AccessToken
  token: string
  /** URL of the list of tokens. */
  back: string
  /** `h2` if the page has its `h1` already. */
  heading?: 'h1' | 'h2'
}

/** A new token: this page can't be opened again. */
export function newTokenView({ row, token, back, heading = 'h1' }: NewToken): InnerView {
  const title = html`New token: ${isolated(row.name)}`
  return {
    title: t`New token`,
    status: 201,
    main: html`
      ${heading === 'h1' ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
      <p>${sentences.tokenOnce}</p>
      ${copyable(t`Token`, token)}
      <p>${row.scopes.split(' ').map((scope) => html`<span class="tag">${scope}</span> `)}${endOf(row)}</p>
      <p><a href="${back}">Back to the tokens</a></p>
    `,
  }
}

/** A row of the list, with the actions on the token. */
export function tokenRow(
  row: AccessToken,
  { token, address, mayRotate, proof = null }: { token: Html; address: string; mayRotate: boolean; proof?: Html | null },
): Html {
  const rotation = html`<p>${sentences.tokenRotation}</p>${form(
    { action: `${address}/${row.id}/rotate`, token, submit: t`Rotate token`, kind: 'plain' },
    html`${field(t`New end`, 'expires_at', untouched, { type: 'date', id: `rotate-${row.id}-` })}${proof}`,
  )}`
  return html`
    <li>
      <div class="what">
        <b>${isolated(row.name)}</b>
        <p>${row.scopes.split(' ').map((scope) => html`<span class="tag">${scope}</span> `)}</p>
      </div>
      <div class="facts">
        <span>created ${ago(row.created_at)}</span>
        <span>${row.last_used_at === null ? t`never used` : html`used ${ago(row.last_used_at)}`}</span>
        <span>${endOf(row)}</span>${mayRotate && dangerous(t`Rotate`, rotation)}
        ${dangerous(
          t`Revoke`,
          html`
            <p>${sentences.tokenRevocation}</p>
            ${form({ action: `${address}/${row.id}/revoke`, token, submit: t`Revoke token`, kind: 'danger' }, html``)}
          `,
        )}
      </div>
    </li>
  `
}

/** An expired or revoked token. */
export function ended(row: AccessToken): Html {
  return html`
    <li>
      <div class="what">${isolated(row.name)}</div>
      <div class="facts"><span class="tag">${stateOf(row)}</span><span>created ${ago(row.created_at)}</span></div>
    </li>
  `
}

function endOf({ expires_on }: AccessToken): Html {
  return expires_on === null ? html`never ends` : html`ends ${ago(`${expires_on}T00:00:00Z`)}`
}
