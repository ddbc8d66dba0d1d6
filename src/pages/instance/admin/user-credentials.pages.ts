/** The keys and tokens of a user, for administrators. */

import { Type } from 'typebox'
import { scopes as allScopes } from '../../../access/levels.ts'
import type { AccessToken } from '../../../access/tokens.ts'
import type { GpgKey, SshKey, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { gpgKeyOfUser, gpgKeysOfUser, removeGpgKey } from '../../../features/people/gpg-keys/gpg-keys.ts'
import { keyOfUser, keysOfUser, removeKey } from '../../../features/people/keys/keys.ts'
import { listTokens, makeToken, revokeToken, tokenById } from '../../../features/spaces/access-tokens/access-tokens.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, nullable } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { newTokenView, scopeFields, scopesIn, tokenForm, tokenRow } from '../../people/settings/token-form.ts'
import { type AdminVisit, administration } from './admin-view.ts'
import { sentences } from './sentences.ts'
import { adminAddressOf, namedUser, ofUser } from './users.pages.ts'

type OwnerVisit = AdminVisit & { owner: User }

const user = within(administration(), namedUser)
const sshKey = nested({ key_id: Id }, async ({ owner }: { owner: User }, { key_id }, app) => {
  const key = await keyOfUser(app.db, owner.id, key_id)
  if (!key) throw notFound('Key')
  return { key }
})
const gpgKey = nested({ gpg_key_id: Id }, async ({ owner }: { owner: User }, { gpg_key_id }, app) => {
  const key = await gpgKeyOfUser(app.db, owner.id, gpg_key_id)
  if (!key) throw notFound('GPG Key')
  return { key }
})
/** A token of either type. */
const accessToken = nested({ token_id: Id }, async ({ owner }: { owner: User }, { token_id }, app) => {
  const token = await tokenById(app.db, token_id)
  if (!token || token.user_id !== owner.id) throw notFound('Access Token')
  return { accessToken: token }
})

const proof = Type.String({ default: '' })

/** Limit of the list; nobody creates more by hand. */
const firstOnes = { limit: 100, offset: 0 }

export const userCredentialPages = [
  page('GET /admin/users/:username/keys', { access: user, show: keysView }),
  action('POST /admin/users/:username/keys/:key_id/delete', {
    access: within(user, sshKey),
    async act({ app, owner, key }) {
      await removeKey(app, key)
      return { redirect: `${adminAddressOf(owner)}/keys`, notice: sentences.keyRemoved }
    },
  }),
  action('POST /admin/users/:username/gpg_keys/:gpg_key_id/delete', {
    access: within(user, gpgKey),
    async act({ app, owner, key }) {
      await removeGpgKey(app.db, key)
      return { redirect: `${adminAddressOf(owner)}/keys`, notice: sentences.keyRemoved }
    },
  }),
  page('GET /admin/users/:username/impersonation_tokens', { access: user, show: (visit) => tokensView(visit, untouched) }),
  action('POST /admin/users/:username/impersonation_tokens', {
    access: user,
    form: { name: Type.String({ default: '' }), expires_at: Type.Optional(nullable(Day)), proof, ...scopeFields },
    async act({ owner, sent: { name, expires_at, proof: shown, ...ticked }, ...visit }) {
      const { app } = visit
      await assertProved(visit, shown)
      const asking = { scopes: ['api', 'sudo'] as const, token_id: null }
      const wanted = { name, scopes: scopesIn(ticked), expires_at }
      const { token, row } = await makeToken(app.db, owner, asking, wanted, visit.user)
      return ofUser(owner, 'tokens', newTokenView({ row, token, back: `${adminAddressOf(owner)}/impersonation_tokens`, heading: 'h2' }))
    },
    again: tokensView,
  }),
  action('POST /admin/users/:username/impersonation_tokens/:token_id/revoke', {
    access: within(user, accessToken),
    async act({ app, owner, accessToken: token }) {
      await revokeToken(app, token)
      return { redirect: `${adminAddressOf(owner)}/impersonation_tokens`, notice: sentences.tokenRevoked }
    },
  }),
]

async function keysView({ app, owner, token }: OwnerVisit): Promise<View> {
  const ssh = await keysOfUser(app.db, owner.id, firstOnes)
  const gpg = await gpgKeysOfUser(app.db, owner.id, firstOnes)
  const remove = (kind: 'keys' | 'gpg_keys', id: number) =>
    postButton(t`Remove`, { action: `${adminAddressOf(owner)}/${kind}/${id}/delete`, token, kind: 'danger' })
  return ofUser(owner, 'keys', {
    title: t`Keys`,
    main: html`
      <h2>SSH keys</h2>
      ${
        ssh.total === 0
          ? emptyState(sentences.noKeys)
          : html`<ul class="rows">${ssh.rows.map((key) => sshRow(key, remove('keys', key.id)))}</ul>`
      }
      <h2>GPG keys</h2>
      ${
        gpg.total === 0
          ? emptyState(sentences.noKeys)
          : html`<ul class="rows">${gpg.rows.map((key) => gpgRow(key, remove('gpg_keys', key.id)))}</ul>`
      }
    `,
  })
}

function sshRow({ title, fingerprint_sha256, created_at, last_used_at }: SshKey, remove: Html): Html {
  return html`
    <li>
      <div class="what">
        <b>${isolated(title)}</b>
        <p><code>SHA256:${fingerprint_sha256}</code></p>
      </div>
      <div class="facts">
        <span>added ${ago(created_at)}</span>
        <span>${last_used_at === null ? t`never used` : html`used ${ago(last_used_at)}`}</span>${remove}
      </div>
    </li>
  `
}

function gpgRow({ fingerprint, created_at }: GpgKey, remove: Html): Html {
  return html`
    <li>
      <div class="what"><code>${fingerprint}</code></div>
      <div class="facts"><span>added ${ago(created_at)}</span>${remove}</div>
    </li>
  `
}

async function tokensView({ owner, ...visit }: OwnerVisit, typed: Typed): Promise<View> {
  const { app, token } = visit
  const address = `${adminAddressOf(owner)}/impersonation_tokens`
  const listed = (impersonation: boolean) =>
    listTokens(app.db, { impersonation, user_id: owner.id }, { state: 'active', sort: 'created_desc' }, firstOnes)
  const [impersonating, own] = [await listed(true), await listed(false)]
  const rowOf = (row: AccessToken) => tokenRow(row, { token, address, mayRotate: false })
  const scopes = allScopes.filter((scope) => owner.admin || scope !== 'sudo')
  return ofUser(owner, 'tokens', {
    title: t`Tokens`,
    main: html`
      <h2>Impersonation tokens</h2>
      <p>${sentences.impersonationTokensAre}</p>
      ${impersonating.total === 0 ? emptyState(sentences.noTokens) : html`<ul class="rows">${impersonating.rows.map(rowOf)}</ul>`}
      ${problemsOf(typed.errors, ['name', 'expires_at', 'scopes', 'proof'])}
      ${owner.kind === 'human' && tokenForm({ action: address, token, scopes, user: 'account', proof: proofField(visit, typed) }, typed)}
      <h2>Tokens of the user</h2>
      ${own.total === 0 ? emptyState(sentences.noTokens) : html`<ul class="rows">${own.rows.map(rowOf)}</ul>`}
    `,
  })
}
