/** Service accounts of projects, groups and the instance: listed, created, renamed and deleted, with their tokens. */

import { Type } from 'typebox'
import type { AccessToken } from '../../../access/tokens.ts'
import type { User } from '../../../db/tables.ts'
import {
  createServiceAccount,
  listServiceAccounts,
  renameServiceAccount,
} from '../../../features/people/service-accounts/service-accounts.ts'
import { listTokens, makeToken, revokeToken, rotateToken, serviceScopes } from '../../../features/spaces/access-tokens/access-tokens.ts'
import { tokenInPath } from '../../../features/spaces/service-accounts/service-accounts.ts'
import { deleteUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, day } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { withCredential } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Day, nullable } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { newTokenView, scopeFields, scopesIn, tokenForm, tokenRow } from '../../people/settings/token-form.ts'
import { type AccountsPlace, type AccountsVisit, accessTo, accountsAddress, bases, framed, type OfAccount, ownerOf } from './place.ts'
import { sentences } from './sentences.ts'

const perPage = 50
/** Limit of the tokens of one account; nobody creates more by hand. */
const firstOnes = { limit: 100, offset: 0 }

const text = Type.String({ default: '' })
const names = { name: text, username: text }
const expires_at = Type.Optional(nullable(Day))

type AccountVisit = AccountsVisit & OfAccount

function pagesOf(kind: AccountsPlace['kind']): Page[] {
  const base = bases[kind]
  const { list, one } = accessTo(kind)
  const token = within(withCredential(one), tokenInPath)
  return [
    page(`GET ${base}`, { access: list, query: pageNumber, show: ({ sent, ...visit }) => listView(visit, untouched, sent.page) }),
    action(`POST ${base}`, {
      access: list,
      form: { ...names, proof: text },
      async act({ sent: { proof, ...sent }, ...visit }) {
        await assertProved(visit, proof)
        const account = await createServiceAccount(visit.app, visit.user, ownerOf(visit.place), namesIn(sent))
        return { redirect: `${accountsAddress(visit.place)}/${account.id}`, notice: sentences.created(account.name) }
      },
      again: (visit, typed) => listView(visit, typed),
    }),
    page(`GET ${base}/:user_id`, { access: one, show: (visit) => accountView(visit) }),
    action(`POST ${base}/:user_id`, {
      access: one,
      form: names,
      async act({ app, place, account, sent }) {
        await renameServiceAccount(app, account.id, namesIn(sent))
        return { redirect: `${accountsAddress(place)}/${account.id}`, notice: sentences.renamed }
      },
      again: (visit, typed) => accountView(visit, { names: typed }),
    }),
    action(`POST ${base}/:user_id/delete`, {
      access: one,
      async act({ app, place, account }) {
        await deleteUser(app, account.id, { hard_delete: false })
        return { redirect: accountsAddress(place), notice: sentences.deleted(account.name) }
      },
    }),
    action(`POST ${base}/:user_id/tokens`, {
      access: withCredential(one),
      form: { name: text, expires_at, proof: text, ...scopeFields },
      async act({ credential, sent: { name, expires_at: end, proof, ...ticked }, ...visit }) {
        await assertProved(visit, proof)
        const wanted = { name, scopes: scopesIn(ticked), expires_at: end }
        return newToken(visit, await makeToken(visit.app.db, visit.account, credential, wanted))
      },
      again: (visit, typed) => accountView(visit, { token: typed }),
    }),
    action(`POST ${base}/:user_id/tokens/:token_id/rotate`, {
      access: token,
      form: { expires_at, proof: text },
      async act({ credential, accessToken, sent, ...visit }) {
        await assertProved(visit, sent.proof)
        return newToken(visit, await rotateToken(visit.app, accessToken, credential, sent.expires_at))
      },
    }),
    action(`POST ${base}/:user_id/tokens/:token_id/revoke`, {
      access: token,
      async act({ app, place, account, accessToken }) {
        await revokeToken(app, accessToken)
        return { redirect: `${accountsAddress(place)}/${account.id}`, notice: sentences.tokenRevoked(accessToken.name) }
      },
    }),
  ]
}

/** An empty field leaves the name as it is, or to chance. */
function namesIn({ name, username }: { name: string; username: string }) {
  return { name: name.trim() === '' ? undefined : name, username: username.trim() === '' ? undefined : username }
}

function newToken(visit: AccountVisit, { token, row }: { token: string; row: AccessToken }): View {
  const { place, account } = visit
  return framed(visit, newTokenView({ row, token, back: `${accountsAddress(place)}/${account.id}` }))
}

async function listView(visit: AccountsVisit, typed: Typed, number = 1): Promise<View> {
  const { app, place, token } = visit
  const address = accountsAddress(place)
  const order = { order_by: 'username', sort: 'asc' } as const
  const { rows, total } = await listServiceAccounts(app.db, ownerOf(place), order, pageFrom({ page: number, per_page: perPage }))
  return framed(visit, {
    title: t`Service accounts`,
    main: html`
      <h1>Service accounts</h1>
      <p>${sentences.what} ${sentences.where[place.kind]}</p>
      ${total === 0 ? emptyState(sentences.none) : html`<ul class="rows">${rows.map((row) => rowOf(row, address))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
      <h2>Create a service account</h2>
      ${problemsOf(typed.errors, ['name', 'username', 'proof'])}
      ${form({ action: address, token, submit: t`Create` }, html`${nameFields(typed)}${proofField(visit, typed)}`)}
    `,
  })
}

function rowOf({ id, name, username, created_at, last_activity_on }: User, address: string): Html {
  return html`
    <li>
      <div class="what"><a href="${address}/${id}">${isolated(name)}</a> <span class="hint">@${username}</span></div>
      <div class="facts">
        <span>created ${ago(created_at)}</span>
        <span>${last_activity_on === null ? t`never seen` : html`seen on ${day(last_activity_on)}`}</span>
      </div>
    </li>
  `
}

function nameFields(typed: Typed, account: User | null = null): Html {
  const id = account === null ? undefined : 'account-'
  return html`
    <div class="pair">
      ${field(t`Name`, 'name', typed, { id, value: account?.name, required: account !== null, hint: sentences.nameHint })}
      ${field(t`Username`, 'username', typed, {
        id,
        value: account?.username,
        required: account !== null,
        autocomplete: 'off',
        ...(account === null && { hint: sentences.usernameHint }),
      })}
    </div>
  `
}

interface AccountForms {
  names?: Typed
  token?: Typed
}

async function accountView(visit: AccountVisit, { names: named = untouched, token: wanted = untouched }: AccountForms = {}): Promise<View> {
  const { app, place, account, token } = visit
  const address = `${accountsAddress(place)}/${account.id}`
  const holder = { user_id: account.id, impersonation: false }
  const { rows } = await listTokens(app.db, holder, { state: 'active', sort: 'created_desc' }, firstOnes)
  const row = (one: AccessToken) => {
    const proof = proofField(visit, untouched, { id: `rotate-${one.id}-` })
    return tokenRow(one, { token, address: `${address}/tokens`, mayRotate: true, proof })
  }
  const creation = { action: `${address}/tokens`, token, scopes: serviceScopes, user: 'account', proof: proofField(visit, wanted) } as const
  return framed(visit, {
    title: account.name,
    main: html`
      <h1>${isolated(account.name)} <span class="hint">@${account.username}</span></h1>
      <p><a href="${accountsAddress(place)}">All service accounts</a></p>
      <h2>Tokens</h2>
      ${rows.length === 0 ? emptyState(sentences.noTokens) : html`<ul class="rows">${rows.map(row)}</ul>`}
      <h2>Create a token</h2>
      ${problemsOf(wanted.errors, ['name', 'expires_at', 'scopes', 'proof'])}
      ${tokenForm(creation, wanted)}
      <h2>Names</h2>
      ${problemsOf(named.errors, ['name', 'username'])}
      ${form({ action: address, token, submit: t`Save`, kind: 'plain' }, nameFields(named, account))}
      ${dangerous(
        t`Delete this service account`,
        html`<p>${sentences.deletion}</p>${postButton(t`Delete`, { action: `${address}/delete`, token, kind: 'danger' })}`,
      )}
    `,
  })
}

export const serviceAccountPages: Page[] = [...pagesOf('project'), ...pagesOf('group'), ...pagesOf('instance')]
