/** Deploy tokens of a project: create, show once, revoke. */

import { Type } from 'typebox'
import type { DeployToken } from '../../../db/tables.ts'
import {
  createDeployToken,
  deployTokenAt,
  hasExpired,
  listDeployTokens,
  removeDeployToken,
  usernameOf,
} from '../../../features/repository/deploy-tokens/deploy-tokens.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { only, people, project } from '../../../http/declare/rules.ts'
import { Id, Instant } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, hidden, problemsOf, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { copyable } from '../../frame/parts.ts'
import { badge } from '../refs/parts.ts'
import { deployTokenSentences } from './sentences.ts'
import { type SettingsVisit, section, settingsAddress, settingsView } from './settings-frame.ts'

const access = project('manage_deploy_tokens')
const perPage = 20

export const deployTokenPages: Page[] = [
  page('GET /:project/deploy_tokens', {
    access,
    query: pageNumber,
    show: async ({ sent, ...visit }) => settingsView(visit, [await deployTokensSection(visit, { page: sent.page })], t`Deploy tokens`),
  }),
  action('POST /:project/deploy_tokens', {
    access: only(access, people),
    form: {
      name: Type.String(),
      username: Type.String({ default: '' }),
      expires_at: Type.Optional(Instant),
      read_repository: Type.Boolean({ default: false }),
      read_registry: Type.Boolean({ default: false }),
    },
    async act({ sent, ...visit }) {
      const scopes = [...(sent.read_repository ? ['read_repository'] : []), ...(sent.read_registry ? ['read_registry'] : [])]
      const wanted = { name: sent.name.trim(), username: sent.username.trim() || null, expires_at: sent.expires_at, scopes }
      const { token, row } = await createDeployToken(visit.app.db, { project_id: visit.project.id }, wanted)
      return createdView(visit, row, token)
    },
    again: async (visit, typed) => settingsView(visit, [await deployTokensSection(visit, { typed })], t`Deploy tokens`),
  }),
  action('POST /:project/deploy_tokens/revoke', {
    access,
    form: { id: Id },
    async act({ app, project, sent: { id } }) {
      const token = await deployTokenAt(app.db, { project_id: project.id }, id)
      if (token) await removeDeployToken(app.db, token)
      const notice = token ? deployTokenSentences.revoked(token.name) : deployTokenSentences.gone
      return { redirect: settingsAddress(project, 'deploy-tokens'), notice }
    },
  }),
]

function createdView(visit: SettingsVisit, row: DeployToken, token: string): View {
  const content = html`
    <section>
      <h2><bdi>${row.name}</bdi></h2>
      <p><strong>${deployTokenSentences.once}</strong></p>
      <h3>User name</h3>
      ${copyable(t`User name`, usernameOf(row))}
      <h3>Token</h3>
      ${copyable(t`Token`, token)}
    </section>
  `
  return { ...settingsView(visit, [content], t`New deploy token`), status: 201 }
}

/** Two statements, regardless of the number of tokens. */
export async function deployTokensSection(
  visit: SettingsVisit,
  { page: number = 1, typed = untouched }: { page?: number; typed?: Typed } = {},
): Promise<Html> {
  const { app, project, token } = visit
  const { rows, total } = await listDeployTokens(
    app.db,
    { project_id: project.id },
    { active: false },
    pageFrom({ page: number, per_page: perPage }),
  )
  const address = `/${project.full_path}/deploy_tokens`
  const fields = html`
    ${problemsOf(typed.errors, ['name', 'username', 'expires_at'])}${field(t`Name`, 'name', typed, {
      id: 'token-',
      required: true,
      hint: deployTokenSentences.nameHint,
    })}
    ${field(t`Expires`, 'expires_at', typed, { id: 'token-', type: 'date', hint: deployTokenSentences.expiryHint })}
    ${field(t`User name`, 'username', typed, {
      id: 'token-',
      autocomplete: 'off',
      hint: deployTokenSentences.usernameHint,
    })}
    ${checkbox(t`read_repository: clone and fetch`, 'read_repository', typed, { id: 'token-', value: 'true' })}
    ${checkbox('read_registry', 'read_registry', typed, { id: 'token-', value: 'false', hint: deployTokenSentences.registry })}
  `
  return section(
    'deploy-tokens',
    t`Deploy tokens`,
    html`
      <p class="hint">${deployTokenSentences.what}</p>
      ${
        total === 0
          ? html`<p class="empty">${deployTokenSentences.none}</p>`
          : html`<ul class="rows">${rows.map((row) => tokenRow(address, token, row))}</ul>`
      }
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
      <details class="entry"${typed !== untouched && html` open`}>
        <summary>Create a deploy token</summary>
        ${form({ action: address, token, submit: t`Create the token` }, fields)}
      </details>
    `,
  )
}

function tokenRow(address: string, token: Html, row: DeployToken): Html {
  const { id, name, scopes, created_at, expires_at } = row
  const expiry =
    expires_at === null ? t`never expires` : hasExpired(row) ? html`expired ${ago(expires_at)}` : html`expires ${ago(expires_at)}`
  return html`
    <li>
      <div class="what">
        <bdi>${name}</bdi> ${hasExpired(row) && badge(t`expired`)}${scopes.split(' ').map((scope) => badge(scope))}
        <p><code>${usernameOf(row)}</code></p>
        <p>created ${ago(created_at)}, ${expiry}</p>
      </div>
      <div class="facts">
        ${dangerous(
          html`Revoke<span class="unseen"> <bdi>${name}</bdi></span>`,
          html`
            <p>${deployTokenSentences.deletion}</p>
            ${form(
              { action: `${address}/revoke`, token, submit: t`Revoke the token`, kind: 'danger' },
              html`${hidden({ id: String(id) })}`,
            )}
          `,
        )}
      </div>
    </li>
  `
}
