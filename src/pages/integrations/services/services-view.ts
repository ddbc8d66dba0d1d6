/** The list of all kinds of integrations, and the page of one with its settings, its test and its log. */

import type { Integration } from '../../../db/tables.ts'
import { hookOfIntegration, isTestable, listDeliveries, presentDelivery } from '../../../features/integrations/deliveries/deliveries.ts'
import { type Kind, kinds, type Settings } from '../../../features/integrations/kinds/kinds.ts'
import {
  defaultSettings,
  flagsOf,
  integrationsAt,
  isHeard,
  settingsOf,
  shownSettings,
} from '../../../features/integrations/services/services.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { declared, t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { dangerous, form, postButton, problemsOf } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { deliveryRow } from '../hooks/hooks-view.ts'
import type { HooksSeen } from '../hooks/places.ts'
import { fieldsView } from './form.ts'
import { framed, integrationsAddress, isOffered, projectOf } from './places.ts'
import * as say from './sentences.ts'

const perPage = 20

/** One statement. */
export async function integrationsView(seen: HooksSeen): Promise<View> {
  const { app, place } = seen
  const rows = new Map((await integrationsAt(app.db, projectOf(place))).map((row) => [row.slug, row]))
  const sections = (Object.keys(say.groups) as Kind['group'][]).map((group) => {
    const offered = kinds.filter((kind) => kind.group === group && isOffered(kind, rows.get(kind.slug) ?? null))
    return html`
      <h2>${say.groups[group]}</h2>
      <ul class="rows">
        ${offered.map((kind) => kindRow(kind, rows.get(kind.slug) ?? null, integrationsAddress(place)))}
      </ul>
    `
  })
  const title = place.kind === 'project' ? t`Integrations` : t`Templates of integrations`
  return framed(seen, {
    title,
    main: html`<h1>${title}</h1><p>${say.purpose[place.kind === 'project' ? 'project' : 'instance']}</p>${sections}`,
  })
}

function kindRow({ slug, title, description }: Kind, row: Integration | null, base: string): Html {
  const state = row && (row.active ? t`active` : t`off`)
  return html`
    <li>
      <div class="what">
        <a href="${base}/${slug}"><b>${declared(title)}</b></a>${state && html` <span class="tag">${state}</span>`}
        <p>${declared(description)}</p>
      </div>
    </li>
  `
}

/** The values that a form shows: without secrets and passwords in URLs. */
export function valuesOf({ app }: Pick<Visit, 'app'>, kind: Kind, row: Integration | null): Settings {
  const shown = shownSettings(kind, row ? settingsOf(app, row) : defaultSettings(kind))
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, value ?? undefined]))
}

type OfKind = HooksSeen & { kind: Kind; row: Integration | null }

/** Three statements, regardless of the size of the log. */
export async function integrationView(seen: OfKind, typed: Typed, number = 1): Promise<View> {
  const { place, kind, row, token } = seen
  const address = `${integrationsAddress(place)}/${kind.slug}`
  const flags = row ? flagsOf(row) : {}
  const filled = { active: row?.active ?? true, shown: valuesOf(seen, kind, row), isOn: (flag: keyof typeof flags) => isHeard(flags, flag) }
  const names = kind.fields.map(({ name }) => name)
  const isTested = row?.active === true && place.kind === 'project' && isTestable(kind)
  const test = isTested && postButton(t`Send a test`, { action: `${address}/test`, token })
  return framed(seen, {
    title: declared(kind.title),
    main: html`
      <h1>${declared(kind.title)}</h1>
      <p><a href="${integrationsAddress(place)}">All integrations</a></p>
      <p>${declared(kind.description)}.${kind.help !== undefined && html` ${declared(kind.help)}`}</p>
      <div class="page-form">
        ${problemsOf(typed.errors, names)}
        ${form({ action: address, token, submit: t`Save the integration` }, fieldsView(kind, filled, typed))}
      </div>
      ${test && html`<section class="setting" aria-labelledby="test"><h2 id="test">Test</h2>${test}</section>`}
      ${row && place.kind === 'project' && (await logOf(seen, row, address, number))}
      ${row && html`<div class="page-form">${removalOf(address, token)}</div>`}
    `,
  })
}

function removalOf(address: string, token: Html): Html {
  const button = postButton(t`Remove`, { action: `${address}/remove`, token, kind: 'danger' })
  return dangerous(t`Remove the integration`, html`<p>${say.removalWarning()}</p>${button}`)
}

async function logOf({ app, token }: OfKind, row: Integration, address: string, number: number): Promise<Html | null> {
  const hook = await hookOfIntegration(app.db, row.id)
  if (!hook) return null
  const { rows, total } = await listDeliveries(app.db, hook.id, pageFrom({ page: number, per_page: perPage }))
  const isResting = hook.rests_until !== null && hook.rests_until > new Date().toISOString()
  return html`
    <section class="setting" aria-labelledby="log">
      <h2 id="log">Deliveries</h2>
      ${
        isResting &&
        html`
          <div class="problems" role="status">
            <p>${say.rests()}, until ${ago(hook.rests_until ?? '')}: ${hook.last_error ?? ''}</p>
          </div>
        `
      }
      ${
        total === 0
          ? emptyState(say.noDeliveries())
          : html`<ul class="rows">${rows.map((one) => deliveryRow(presentDelivery(app, hook, one), address, token))}</ul>`
      }
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
    </section>
  `
}
