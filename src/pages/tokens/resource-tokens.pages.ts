/** Access tokens of projects and groups, declared once: `resourceTokenPages('group', …)` are those of groups. */

import { Type } from 'typebox'
import { accessLevels } from '../../access/levels.ts'
import type { AccessToken } from '../../access/tokens.ts'
import type { User } from '../../db/tables.ts'
import { listTokens, presentToken, revokeToken, rotateToken } from '../../features/spaces/access-tokens/access-tokens.ts'
import { createResourceToken, resourceScopes, tokenInPath } from '../../features/spaces/resource-tokens/resource-tokens.ts'
import { type Html, html } from '../../html/html.ts'
import { ago, day } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import { columnsOf, managers, onProjectOrGroup, type Place, type PlaceKind } from '../../http/declare/places.ts'
import { only, people, withCredential } from '../../http/declare/rules.ts'
import { within } from '../../http/declare/within.ts'
import { Day, nullable, Off } from '../../http/parameters/schema.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { checkbox, dangerous, errorLine, field, form, postButton, problemsOf, select, untouched } from '../frame/forms.ts'
import { roleName } from '../frame/levels.ts'
import { copyable, emptyState, isolated } from '../frame/parts.ts'
import type { PlaceFrame } from '../frame/places.ts'
import { assertProved, proofField } from '../frame/proof.ts'
import { roleChoices } from '../members/sentences.ts'
import * as say from './sentences.ts'

/** Limit of tokens of each kind: active ones, and the latest inactive ones. */
const maxShown = 100

const scopeFields = Object.fromEntries(resourceScopes.map((scope) => [`scope_${scope}`, Off]))

type Seen = Visit & { place: Place; user: User }

export function resourceTokenPages(kind: PlaceKind, frame: PlaceFrame): Page[] {
  const base = kind === 'project' ? '/:project/settings/access_tokens' : '/groups/:group/-/settings/access_tokens'
  const managed = onProjectOrGroup(kind, managers)
  return [
    page(`GET ${base}`, { access: managed, show: async (seen) => frame(seen, await tokensView(seen)) }),
    action(`POST ${base}`, {
      access: only(managed, people),
      form: {
        name: Type.String({ default: '' }),
        description: Type.String({ default: '' }),
        access_level: Type.Integer({ default: accessLevels.maintainer }),
        expires_at: Type.Optional(nullable(Day)),
        proof: Type.String({ default: '' }),
        ...scopeFields,
      },
      async act({ sent, ...seen }) {
        const { name, description, access_level, expires_at, proof, ...boxes } = sent
        await assertProved(seen, proof)
        const scopes = resourceScopes.filter((scope) => (boxes as Record<string, boolean>)[`scope_${scope}`])
        const made = await createResourceToken(seen.app, seen.user, seen.place, {
          name,
          description: description || null,
          scopes,
          access_level,
          expires_at,
        })
        return frame(seen, await tokensView(seen, { made }))
      },
      again: async (seen, typed) => frame(seen, await tokensView(seen, { typed })),
    }),
    action(`POST ${base}/:token_id/rotate`, {
      access: within(withCredential(only(managed, people)), tokenInPath),
      form: { proof: Type.String({ default: '' }) },
      async act({ accessToken, credential, sent, ...seen }) {
        await assertProved(seen, sent.proof)
        const made = await rotateToken(seen.app, accessToken, credential, undefined)
        return frame(seen, await tokensView(seen, { made }))
      },
    }),
    action(`POST ${base}/:token_id/revoke`, {
      access: within(managed, tokenInPath),
      async act({ app, place, accessToken }) {
        await revokeToken(app, accessToken)
        return { redirect: tokensAddress(place), notice: say.revoked(accessToken.name) }
      },
    }),
  ]
}

function tokensAddress({ kind, row }: Place): string {
  return kind === 'project' ? `/${row.full_path}/settings/access_tokens` : `/groups/${row.full_path}/-/settings/access_tokens`
}

interface Shown {
  typed?: Typed
  /** A new token, shown only now. */
  made?: { token: string; row: AccessToken }
}

async function tokensView(seen: Seen, { typed = untouched, made }: Shown = {}): Promise<Omit<View, 'above'>> {
  const { app, place } = seen
  const list = (state: 'active' | 'inactive') =>
    listTokens(app.db, { place: columnsOf(place), impersonation: false }, { state, sort: 'created_desc' }, { limit: maxShown, offset: 0 })
  const [active, ended] = await Promise.all([list('active'), list('inactive')])
  const main = html`
    <h1>Access tokens</h1>
    <p>${say.purpose(place.kind)}</p>
    ${
      made !== undefined &&
      html`
        <div class="notice" role="status">
          <p>${say.shownOnce()}</p>
          ${copyable(t`Token ${made.row.name}`, made.token)}
        </div>
      `
    }
    ${newToken(seen, typed)}
    <h2>Active tokens</h2>
    ${active.total === 0 ? emptyState(say.none()) : rowsOf(seen, active.rows, true)}
    <h2>Expired tokens</h2>
    ${ended.total === 0 ? emptyState(say.noneEnded()) : rowsOf(seen, ended.rows, false)}
  `
  return { title: t`Access tokens`, main, ...(made && { status: 201 }) }
}

function newToken(seen: Seen, typed: Typed): Html {
  const { place, token } = seen
  const isOpen = typed !== untouched
  const levels = roleChoices(place.kind).filter(([level]) => Number(level) <= place.level)
  const scopes = resourceScopes.map((scope) =>
    checkbox(scope, `scope_${scope}`, typed, { value: scope === 'read_repository' ? 'true' : 'false', hint: say.scopeHints[scope] }),
  )
  const fields = html`
    ${field(t`Name`, 'name', typed, { required: true })}${field(t`Description`, 'description', typed)}
    ${field(t`Expires`, 'expires_at', typed, { type: 'date', hint: say.expiryHint() })}
    ${select(t`Role`, 'access_level', typed, levels, {
      value: String(Math.min(place.level, accessLevels.maintainer)),
      hint: say.roleHint(),
    })}
    <fieldset class="field radios">
      <legend>Scopes</legend>
      ${scopes}
      ${errorLine(typed.errors.of.scopes ?? [])}
    </fieldset>
    ${proofField(seen, typed)}
  `
  return html`
    <details class="panel"${isOpen && html` open`}>
      <summary>Create a token</summary>
      ${problemsOf(typed.errors, ['name', 'description', 'expires_at', 'access_level', 'scopes', 'proof'])}
      ${form({ action: tokensAddress(place), token, submit: t`Create token` }, fields)}
    </details>
  `
}

function stateOf(isActive: boolean, { expires_at, revoked }: { expires_at: string | null; revoked: boolean }): string {
  if (expires_at === null || revoked) return isActive ? t`no expiry` : t`revoked`
  return isActive ? t`expires ${day(expires_at)}` : t`expired ${day(expires_at)}`
}

function rowsOf(seen: Seen, rows: readonly AccessToken[], isActive: boolean): Html {
  const { place, token: hidden } = seen
  return html`
    <ul class="rows">
      ${rows.map((row) => {
        const { id, name, description, scopes, created_at, last_used_at, expires_at, revoked } = presentToken(row)
        const address = `${tokensAddress(place)}/${id}`
        const state = stateOf(isActive, { expires_at, revoked })
        const actions =
          isActive &&
          html`
            <div class="facts">${rotation(seen, { id, name, action: `${address}/rotate` })}</div>
            ${dangerous(
              t`Revoke ${name}`,
              html`
                <p>${say.revokeWarning()}</p>
                ${postButton(t`Revoke`, { action: `${address}/revoke`, token: hidden, kind: 'danger' })}
              `,
            )}
          `
        return html`
          <li>
            <div class="what">
              <b>${isolated(name)}</b> <span class="hint">${roleName(row.access_level ?? 0)}</span>
              <p>
                ${description && html`${isolated(description)} · `}${scopes.join(', ')} · created ${ago(created_at)} ·
                ${last_used_at === null ? t`never used` : html`last used ${ago(last_used_at)}`} · ${state}
              </p>
            </div>
            ${actions}
          </li>
        `
      })}
    </ul>
  `
}

/** One button, or a form where it has to be asked who it is. */
function rotation(seen: Seen, { id, name, action: address }: { id: number; name: string; action: string }): Html {
  const proof = proofField(seen, untouched, { id: `rotate-${id}-` })
  const label = html`Rotate<span class="unseen"> ${name}</span>`
  if (proof === null) return postButton(label, { action: address, token: seen.token })
  return dangerous(label, form({ action: address, token: seen.token, submit: t`Rotate` }, proof))
}
