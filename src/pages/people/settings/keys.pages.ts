/** The user's own SSH and GPG keys. */

import { Type } from 'typebox'
import type { GpgKey, SshKey } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { addGpgKey, gpgKeyOfUser, gpgKeysOfUser, readPublicKey, removeGpgKey } from '../../../features/people/gpg-keys/gpg-keys.ts'
import { addUserKey, commentOf, keyOfUser, keysOfUser, lineOf, removeKey } from '../../../features/people/keys/keys.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { copyable, emptyState, isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

const text = Type.String({ default: '' })
const perPage = 50

const ownKey = nested({ key_id: Id }, async ({ user }: SignedIn, { key_id }, app) => {
  const key = await keyOfUser(app.db, user.id, key_id)
  if (!key) throw notFound('Key')
  return { key }
})

const ownGpgKey = nested({ gpg_key_id: Id }, async ({ user }: SignedIn, { gpg_key_id }, app) => {
  const key = await gpgKeyOfUser(app.db, user.id, gpg_key_id)
  if (!key) throw notFound('GPG Key')
  return { key }
})

export const keyPages = [
  page('GET /profile/keys', { access: signedIn(), query: pageNumber, show: ({ sent, ...visit }) => keysView(visit, untouched, sent.page) }),
  action('POST /profile/keys', {
    access: signedIn(),
    form: { title: text, key: text, proof: text },
    async act({ sent: { title, key, proof }, ...visit }) {
      const { app, user } = visit
      await assertProved(visit, proof)
      await addUserKey(app, user, { title: title.trim() === '' ? commentOf(key) : title, key }).catch(keyByField)
      return { redirect: '/profile/keys', notice: sentences.keyAdded }
    },
    again: (visit, typed) => keysView(visit, typed),
  }),
  page('GET /profile/keys/:key_id', { access: within(signedIn(), ownKey), show: keyView }),
  action('POST /profile/keys/:key_id/delete', {
    access: within(signedIn(), ownKey),
    async act({ app, key }) {
      await removeKey(app, key)
      return { redirect: '/profile/keys', notice: sentences.keyRemoved }
    },
  }),
  page('GET /profile/gpg_keys', {
    access: signedIn(),
    query: pageNumber,
    show: ({ sent, ...visit }) => gpgView(visit, untouched, sent.page),
  }),
  action('POST /profile/gpg_keys', {
    access: signedIn(),
    form: { key: text, proof: text },
    async act({ sent: { key, proof }, ...visit }) {
      const { app, user } = visit
      await assertProved(visit, proof)
      await addGpgKey(app.db, user, key).catch(keyByField)
      return { redirect: '/profile/gpg_keys', notice: sentences.gpgAdded }
    },
    again: (visit, typed) => gpgView(visit, typed),
  }),
  action('POST /profile/gpg_keys/:gpg_key_id/delete', {
    access: within(signedIn(), ownGpgKey),
    async act({ app, key }) {
      await removeGpgKey(app.db, key)
      return { redirect: '/profile/gpg_keys', notice: sentences.gpgRemoved }
    },
  }),
]

/** For `.catch`: the form has no field for a fingerprint, so errors of it belong to the key. */
export function keyByField(error: unknown): never {
  const sent = error instanceof Failure && error.code === 'invalid' ? error.body.message : null
  if (typeof sent !== 'object' || sent === null || !('fingerprint' in sent)) throw error
  const { fingerprint, ...others } = sent as Record<string, string[]>
  throw invalid({ key: fingerprint ?? [], ...others }, error)
}

async function keysView(visit: OwnVisit, typed: Typed, number = 1): Promise<View> {
  const { app, user, token } = visit
  const { rows, total } = await keysOfUser(app.db, user.id, pageFrom({ page: number, per_page: perPage }))
  return settingsView('keys', {
    title: t`SSH keys`,
    main: html`
      <h1>SSH keys</h1>
      <p>${sentences.keysAre}</p>
      ${problemsOf(typed.errors, ['title', 'key', 'proof'])}
      ${form(
        { action: '/profile/keys', token, submit: t`Add key` },
        html`
          ${textArea(t`Key`, 'key', typed, { rows: 4, required: true, hint: sentences.keyHint })}
          ${field(t`Title`, 'title', typed, { hint: sentences.keyTitleHint })}${proofField(visit, typed)}
        `,
      )}
      <h2>Your keys</h2>
      ${total === 0 ? emptyState(sentences.noKeys) : html`<ul class="rows">${rows.map((key) => keyRow(key, token))}</ul>`}
      ${pagesBelow('/profile/keys', { page: number, per_page: perPage, total })}
    `,
  })
}

function keyRow(key: SshKey, token: Html): Html {
  return html`
    <li>
      <div class="what">
        <a href="/profile/keys/${key.id}">${isolated(key.title)}</a>
        <p><code>SHA256:${key.fingerprint_sha256}</code></p>
      </div>
      <div class="facts">
        <span>${key.type}</span><span>added ${ago(key.created_at)}</span><span>${usedAt(key.last_used_at)}</span>
        ${removal(`/profile/keys/${key.id}/delete`, token, sentences.keyRemoval)}
      </div>
    </li>
  `
}

export function usedAt(last_used_at: string | null): Html {
  return last_used_at === null ? html`never used` : html`used ${ago(last_used_at)}`
}

function removal(action: string, token: Html, sentence: string): Html {
  return dangerous(t`Remove`, html`<p>${sentence}</p>${form({ action, token, submit: t`Remove key`, kind: 'danger' }, html``)}`)
}

function keyView({ token, key }: OwnVisit & { key: SshKey }): View {
  return settingsView('keys', {
    title: key.title,
    main: html`
      <p><a href="/profile/keys">SSH keys</a></p>
      <h1>${isolated(key.title)}</h1>
      <dl class="facts">
        <dt>Added</dt><dd>${ago(key.created_at)}</dd>
        <dt>Last used</dt><dd>${key.last_used_at === null ? t`never` : ago(key.last_used_at)}</dd>
        <dt>Type</dt><dd>${key.type}, ${key.bits} bits</dd>
        <dt>SHA-256</dt><dd><code>SHA256:${key.fingerprint_sha256}</code></dd>
        <dt>MD5</dt><dd><code>${key.fingerprint_md5}</code></dd>
      </dl>
      <h2>Public key</h2>
      ${copyable(t`Public key`, lineOf(key))}${removal(`/profile/keys/${key.id}/delete`, token, sentences.keyRemoval)}
    `,
  })
}

async function gpgView({ app, user, token }: OwnVisit, typed: Typed, number = 1): Promise<View> {
  const { rows, total } = await gpgKeysOfUser(app.db, user.id, pageFrom({ page: number, per_page: perPage }))
  return settingsView('gpg_keys', {
    title: t`GPG keys`,
    main: html`
      <h1>GPG keys</h1>
      <p>${sentences.gpgAre}</p>
      ${problemsOf(typed.errors, ['key'])}
      ${form(
        { action: '/profile/gpg_keys', token, submit: t`Add key` },
        textArea(t`Key`, 'key', typed, { rows: 8, required: true, hint: sentences.gpgHint }),
      )}
      <h2>Your keys</h2>
      ${total === 0 ? emptyState(sentences.noGpg) : html`<ul class="rows">${rows.map((key) => gpgRow(key, token))}</ul>`}
      ${pagesBelow('/profile/gpg_keys', { page: number, per_page: perPage, total })}
    `,
  })
}

function gpgRow({ id, key, fingerprint, created_at }: GpgKey, token: Html): Html {
  const names = readPublicKey(key)?.identities ?? []
  return html`
    <li>
      <div class="what">
        <code>${fingerprint}</code>
        <p>${names.map(({ name, email }, index) => html`${index > 0 && ', '}${isolated(`${name} <${email}>`)}`)}</p>
      </div>
      <div class="facts">
        <span>added ${ago(created_at)}</span>${removal(`/profile/gpg_keys/${id}/delete`, token, sentences.gpgRemoval)}
      </div>
    </li>
  `
}
