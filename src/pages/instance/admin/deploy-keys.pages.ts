/** Public deploy keys, which any project may enable. */

import { Type } from 'typebox'
import type { SshKey } from '../../../db/tables.ts'
import {
  addPublicKey,
  changePublicKey,
  findPublicKey,
  publicKeys,
  removePublicKey,
} from '../../../features/repository/deploy-keys/deploy-keys.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { keyByField } from '../../people/settings/keys.pages.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const text = Type.String({ default: '' })
const address = '/admin/deploy_keys'
const perPage = 50

const publicKey = nested({ deploy_key_id: Id }, async (_: unknown, { deploy_key_id }, app) => ({
  key: await findPublicKey(app, deploy_key_id),
}))

export const deployKeyPages = [
  page('GET /admin/deploy_keys', {
    access: administration(),
    query: pageNumber,
    show: ({ sent, ...visit }) => keysView(visit, untouched, sent.page),
  }),
  action('POST /admin/deploy_keys', {
    access: administration(),
    form: { title: text, key: text },
    async act({ app, user, sent }) {
      await addPublicKey(app, user, sent).catch(keyByField)
      return { redirect: address, notice: sentences.deployKeyAdded }
    },
    again: (visit, typed) => keysView(visit, typed),
  }),
  page('GET /admin/deploy_keys/:deploy_key_id/edit', {
    access: within(administration(), publicKey),
    show: (visit) => editView(visit, untouched),
  }),
  action('POST /admin/deploy_keys/:deploy_key_id/edit', {
    access: within(administration(), publicKey),
    form: { title: text },
    async act({ app, key, sent: { title } }) {
      await changePublicKey(app, key, title)
      return { redirect: address, notice: sentences.deployKeySaved }
    },
    again: editView,
  }),
  action('POST /admin/deploy_keys/:deploy_key_id/delete', {
    access: within(administration(), publicKey),
    async act({ app, key }) {
      await removePublicKey(app, key)
      return { redirect: address, notice: sentences.deployKeyRemoved }
    },
  }),
]

async function keysView({ app, token }: AdminVisit, typed: Typed, number = 1): Promise<View> {
  const { rows, total } = await publicKeys(app.db, pageFrom({ page: number, per_page: perPage }))
  return adminView('deploy_keys', {
    title: t`Deploy keys`,
    main: html`
      <h1>Public deploy keys</h1>
      <p>${sentences.deployKeysAre}</p>
      ${total === 0 ? emptyState(sentences.noDeployKeys) : html`<ul class="rows">${rows.map((key) => rowOf(key, token))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
      <h2>Add a key</h2>
      ${problemsOf(typed.errors, ['title', 'key'])}
      ${form(
        { action: address, token, submit: t`Add key` },
        html`
          ${field(t`Title`, 'title', typed, { required: true })}${textArea(t`Key`, 'key', typed, { rows: 4, required: true })}
        `,
      )}
    `,
  })
}

function rowOf({ id, title, fingerprint_sha256, created_at, last_used_at }: SshKey, token: Html): Html {
  const removal = form({ action: `${address}/${id}/delete`, token, submit: t`Remove key`, kind: 'danger' }, html``)
  return html`
    <li>
      <div class="what">
        <a href="${address}/${id}/edit">${isolated(title)}</a>
        <p><code>SHA256:${fingerprint_sha256}</code></p>
      </div>
      <div class="facts">
        <span>added ${ago(created_at)}</span>
        <span>${last_used_at === null ? t`never used` : html`used ${ago(last_used_at)}`}</span>
        ${dangerous(t`Remove`, html`<p>${sentences.deployKeyRemoval}</p>${removal}`)}
      </div>
    </li>
  `
}

function editView({ token, key }: AdminVisit & { key: SshKey }, typed: Typed): View {
  return adminView('deploy_keys', {
    title: t`Edit deploy key`,
    main: html`
      <h1>Edit deploy key</h1>
      <p><code>SHA256:${key.fingerprint_sha256}</code></p>
      ${problemsOf(typed.errors, ['title'])}
      ${form(
        { action: `${address}/${key.id}/edit`, token, submit: t`Save key` },
        field(t`Title`, 'title', typed, { value: key.title, required: true }),
      )}
      <p><a href="${address}">All keys</a></p>
    `,
  })
}
