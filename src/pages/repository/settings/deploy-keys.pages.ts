/** Deploy keys of a project: its own, those of other projects, public ones. */

import { Type } from 'typebox'
import type { SshKey } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import {
  addDeployKey,
  changeDeployKey,
  enableableKeys,
  enableDeployKey,
  keyOfProject,
  keysOfProject,
  type ProjectKey,
  removeDeployKey,
} from '../../../features/repository/deploy-keys/deploy-keys.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { only, people, project } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, hidden, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { icon } from '../../frame/parts.ts'
import { badge } from '../refs/parts.ts'
import { deployKeySentences } from './sentences.ts'
import { type SettingsVisit, section, settingsAddress, settingsView } from './settings-frame.ts'

const access = project('manage_deploy_keys')
const perPage = 20

export const deployKeyPages: Page[] = [
  page('GET /:project/deploy_keys', {
    access,
    query: pageNumber,
    show: async ({ sent, ...visit }) => settingsView(visit, [await deployKeysSection(visit, { page: sent.page })], t`Deploy keys`),
  }),
  action('POST /:project/deploy_keys', {
    access: only(access, people),
    form: { title: Type.String(), key: Type.String(), can_push: Type.Boolean({ default: false }) },
    async act({ app, user, project, sent: { title, key, can_push } }) {
      const sent = { title: title.trim(), key: key.trim() }
      const added = await addDeployKey(app, user, { project_id: project.id, can_push }, sent).catch(withoutPrefix)
      return { redirect: settingsAddress(project, 'deploy-keys'), notice: deployKeySentences.added(added.title) }
    },
    again: (visit, typed) => again(visit, typed, null),
  }),
  action('POST /:project/deploy_keys/enable', {
    access: only(access, people),
    form: { id: Id },
    async act({ app, user, project, sent: { id } }) {
      const key = await enableDeployKey(app, user, { id }, { project_id: project.id, can_push: false })
      const notice = key ? deployKeySentences.enabled(key.title) : deployKeySentences.gone
      return { redirect: settingsAddress(project, 'deploy-keys'), notice }
    },
  }),
  action('POST /:project/deploy_keys/remove', {
    access,
    form: { id: Id },
    async act({ app, project, sent: { id } }) {
      const key = await keyOfProject(app.db, project.id, id)
      if (key) await removeDeployKey(app, project.id, key)
      const notice = key ? deployKeySentences.removed(key.title) : deployKeySentences.gone
      return { redirect: settingsAddress(project, 'deploy-keys'), notice }
    },
  }),
  action('POST /:project/deploy_keys/change', {
    access,
    form: { id: Id, title: Type.String(), can_push: Type.Boolean({ default: false }) },
    async act({ app, user, project, sent: { id, title, can_push } }) {
      const redirect = settingsAddress(project, 'deploy-keys')
      const key = await keyOfProject(app.db, project.id, id)
      if (!key) return { redirect, notice: deployKeySentences.gone }
      const changed = await changeDeployKey(app, user, project.id, key, { title: title.trim(), can_push }).catch(withoutPrefix)
      return { redirect, notice: deployKeySentences.saved(changed.title) }
    },
    again: (visit, typed) => again(visit, typed, Number(typed.values.id)),
  }),
]

/** The API names the fields `deploy_key.title`; the form has other names. Errors of fields that the form doesn't have are dropped. */
function withoutPrefix(error: unknown): never {
  const message = error instanceof Failure ? error.body.message : null
  if (!(error instanceof Failure) || typeof message !== 'object' || message === null) throw error
  const fields = Object.entries(message as Record<string, string[]>).map(([name, sentences]): [string, string[]] => [
    name.replace(/^deploy_key\./, ''),
    sentences,
  ])
  const own = fields.filter(([name]) => name !== 'fingerprint' || fields.length === 1)
  const renamed = own.map(([name, sentences]): [string, string[]] => [name === 'fingerprint' ? 'key' : name, sentences])
  throw new Failure('invalid', Object.fromEntries(renamed), { cause: error })
}

interface Shown {
  page?: number
  typed?: Typed
  /** The key whose form was rejected; null for that of a new one. */
  failed?: number | null
}

async function again(visit: SettingsVisit, typed: Typed, failed: number | null): Promise<View> {
  return settingsView(visit, [await deployKeysSection(visit, { typed, failed })], t`Deploy keys`)
}

/** Six statements, regardless of the number of keys. */
export async function deployKeysSection(
  visit: SettingsVisit,
  { page: number = 1, typed = untouched, failed = null }: Shown = {},
): Promise<Html> {
  const { app, user, project, token } = visit
  const of = pageFrom({ page: number, per_page: perPage })
  const first = pageFrom({ page: 1, per_page: perPage })
  const own = await keysOfProject(app.db, project.id, of)
  const elsewhere = await enableableKeys(app.db, user, { project_id: project.id, isPublic: false }, first)
  const open = await enableableKeys(app.db, user, { project_id: project.id, isPublic: true }, first)
  const address = `/${project.full_path}/deploy_keys`
  const place = { address, token, isAdmin: user.admin }
  const fresh = failed === null ? typed : untouched
  const add = html`
    <details class="entry"${fresh !== untouched && html` open`}>
      <summary>Add a deploy key</summary>
      ${form(
        { action: address, token, submit: t`Add the key` },
        html`
          ${problemsOf(fresh.errors, ['title', 'key', 'can_push'])}${field(t`Title`, 'title', fresh, {
            id: 'key-',
            required: true,
            hint: deployKeySentences.titleHint,
          })}
          ${textArea(t`Key`, 'key', fresh, { id: 'key-', required: true, rows: 3, hint: deployKeySentences.keyHint })}
          ${checkbox(t`May push`, 'can_push', fresh, { id: 'key-', value: 'false', hint: deployKeySentences.pushHint })}
        `,
      )}
    </details>
  `
  const rows = own.rows.map((key) => ownRow(place, key, failed === key.id ? typed : untouched))
  return section(
    'deploy-keys',
    t`Deploy keys`,
    html`
      <p class="hint">${deployKeySentences.what}</p>
      ${own.total === 0 ? html`<p class="empty">${deployKeySentences.none}</p>` : html`<ul class="rows">${rows}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total: own.total })}${add}
      ${enableList(place, t`Keys of your other projects`, deployKeySentences.elsewhere, elsewhere)}
      ${enableList(place, t`Public keys`, deployKeySentences.public, open)}
    `,
  )
}

interface Place {
  address: string
  token: Html
  isAdmin: boolean
}

function ownRow({ address, token, isAdmin }: Place, key: ProjectKey, typed: Typed): Html {
  const id = `key-${key.id}-`
  // Only administrators change public keys.
  const change =
    (isAdmin || !key.public) &&
    html`
      <details class="entry"${typed !== untouched && html` open`}>
        <summary>Change<span class="unseen"> <bdi>${key.title}</bdi></span></summary>
        ${form(
          { action: `${address}/change`, token, submit: t`Save`, kind: 'plain' },
          html`
            ${problemsOf(typed.errors, ['title', 'can_push'])}${hidden({ id: String(key.id) })}${field(t`Title`, 'title', typed, {
              id,
              value: key.title,
              required: true,
            })}
            ${checkbox(t`May push`, 'can_push', typed, { id, value: key.can_push ? 'true' : 'false' })}
          `,
        )}
      </details>
    `
  return html`
    <li>
      <div class="what">
        <bdi>${key.title}</bdi>
        ${badge(key.can_push ? t`may push` : t`reads`)}${key.public && badge(t`public`)}${factsOf(key)}
      </div>
      <div class="facts">
        ${change}
        ${dangerous(
          html`Remove<span class="unseen"> <bdi>${key.title}</bdi></span>`,
          html`
            <p>${deployKeySentences.deletion}</p>
            ${form(
              { action: `${address}/remove`, token, submit: t`Remove the key`, kind: 'danger' },
              html`${hidden({ id: String(key.id) })}`,
            )}
          `,
        )}
      </div>
    </li>
  `
}

function factsOf({ fingerprint_sha256, created_at, last_used_at }: SshKey): Html {
  return html`
    <p>${icon('key')} <code>SHA256:${fingerprint_sha256}</code></p>
    <p>added ${ago(created_at)}, ${last_used_at === null ? t`never used` : html`last used ${ago(last_used_at)}`}</p>
  `
}

function enableList(
  { address, token }: Place,
  title: string,
  what: string,
  { rows, total }: { rows: SshKey[]; total: number },
): Html | null {
  if (total === 0) return null
  return html`
    <details class="entry">
      <summary>${title} <span class="hint">${count(total, 'key')}</span></summary>
      <p class="hint">${what}</p>
      <ul class="rows">
        ${rows.map(
          (key) => html`
            <li>
              <div class="what"><bdi>${key.title}</bdi>${factsOf(key)}</div>
              <div class="facts">
                ${postButton(html`Enable<span class="unseen"> <bdi>${key.title}</bdi></span>`, {
                  action: `${address}/enable`,
                  token,
                  fields: { id: String(key.id) },
                })}
              </div>
            </li>
          `,
        )}
      </ul>
      ${total > rows.length && html`<p class="hint">The first ${rows.length} of them.</p>`}
    </details>
  `
}
