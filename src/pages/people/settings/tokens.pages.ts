/** The user's own access tokens: create, show once, rotate, revoke. */

import { Type } from 'typebox'
import { scopes as allScopes, type Scope } from '../../../access/levels.ts'
import { type AccessToken, stateOf } from '../../../access/tokens.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { resetFeedToken } from '../../../features/people/users/users.ts'
import { listTokens, makeToken, revokeToken, rotateToken, tokenById } from '../../../features/spaces/access-tokens/access-tokens.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type Credential, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, nullable } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'
import { ended, newTokenView, scopeFields, scopesIn, tokenForm, tokenRow } from './token-form.ts'

const address = '/profile/personal_access_tokens'
const perPage = 50

const ownToken = nested({ token_id: Id }, async ({ user }: SignedIn, { token_id }, app) => {
  const token = await tokenById(app.db, token_id, { impersonation: false, user_id: user.id })
  if (!token) throw notFound('Personal Access Token')
  return { accessToken: token }
})

const expires_at = Type.Optional(nullable(Day))
const proof = Type.String({ default: '' })

export const tokenPages = [
  page('GET /profile/personal_access_tokens', {
    access: signedIn(),
    query: pageNumber,
    show: ({ sent, ...visit }) => tokensView(visit, untouched, sent.page),
  }),
  action('POST /profile/personal_access_tokens', {
    access: signedIn(),
    form: { name: Type.String({ default: '' }), expires_at, proof, ...scopeFields },
    async act({ sent: { name, expires_at: end, proof: shown, ...ticked }, ...visit }) {
      const { app, user } = visit
      await assertProved(visit, shown)
      const wanted = { name, scopes: scopesIn(ticked), expires_at: end }
      const { token, row } = await makeToken(app.db, user, askingOf(user), wanted)
      return ownNewToken(row, token)
    },
    again: (visit, typed) => tokensView(visit, typed),
  }),
  action('POST /profile/reset_feed_token', {
    access: signedIn(),
    async act({ app, user }) {
      await resetFeedToken(app, user)
      return { redirect: address, notice: sentences.feedTokenReset }
    },
  }),
  action('POST /profile/personal_access_tokens/:token_id/revoke', {
    access: within(signedIn(), ownToken),
    async act({ app, accessToken }) {
      await revokeToken(app, accessToken)
      return { redirect: address, notice: sentences.tokenRevoked }
    },
  }),
  action('POST /profile/personal_access_tokens/:token_id/rotate', {
    access: within(signedIn(), ownToken),
    form: { expires_at, proof },
    async act({ accessToken, sent, ...visit }) {
      const { app, user } = visit
      await assertProved(visit, sent.proof)
      const { token, row } = await rotateToken(app, accessToken, askingOf(user), sent.expires_at)
      return ownNewToken(row, token)
    },
  }),
]

/** A session can grant whatever its user may do. */
function askingOf({ admin }: User): Credential {
  return { scopes: admin ? ['api', 'sudo'] : ['api'], token_id: null }
}

/** The scopes that a user may choose. */
function scopesFor({ admin }: User): Scope[] {
  return allScopes.filter((scope) => admin || scope !== 'sudo')
}

function ownNewToken(row: AccessToken, token: string): View {
  return settingsView('tokens', newTokenView({ row, token, back: address }))
}

/** Inactive tokens are only listed on the first page, as they can't be used again. */
async function tokensView(visit: OwnVisit, typed: Typed, number = 1): Promise<View> {
  const { app, user, token } = visit
  const holder = { impersonation: false, user_id: user.id }
  const { rows, total } = await listTokens(
    app.db,
    holder,
    { state: 'active', sort: 'created_desc' },
    pageFrom({ page: number, per_page: perPage }),
  )
  const inactive = await listTokens(app.db, holder, { state: 'inactive', sort: 'created_desc' }, { limit: perPage, offset: 0 })
  const rowOf = (row: AccessToken) =>
    tokenRow(row, { token, address, mayRotate: stateOf(row) === 'valid', proof: proofField(visit, untouched, { id: `rotate-${row.id}-` }) })
  return settingsView('tokens', {
    title: t`Access tokens`,
    main: html`
      <h1>Access tokens</h1>
      <p>${sentences.tokensAre}</p>
      ${problemsOf(typed.errors, ['name', 'expires_at', 'scopes', 'proof'])}
      ${tokenForm({ action: address, token, scopes: scopesFor(user), proof: proofField(visit, typed) }, typed)}
      <h2>Active tokens</h2>
      ${total === 0 ? emptyState(sentences.noTokens) : html`<ul class="rows">${rows.map(rowOf)}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
      <h2>Feed token</h2>
      <p>${sentences.feedToken}</p>
      ${postButton(t`Reset feed token`, { action: '/profile/reset_feed_token', token, kind: 'danger' })}
      ${inactive.total > 0 && html`<h2>Expired tokens</h2><ul class="rows">${inactive.rows.map(ended)}</ul>`}
    `,
  })
}
