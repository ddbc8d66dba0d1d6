/** The list of webhooks with the form to add one, and the page of one webhook with its settings, tests and log. */

import type { Hook } from '../../../db/tables.ts'
import { groupTriggers, listDeliveries, presentDelivery, triggers } from '../../../features/integrations/deliveries/deliveries.ts'
import { listHooks, presentHook } from '../../../features/integrations/hooks/hooks.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { type Choice, checkbox, dangerous, field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import type { SettingsPlace } from '../../instance/admin/settings-places.ts'
import { namedValuesView, type RefusedValue } from './named-values-view.ts'
import { framed, type HooksSeen, hookPlace, hooksAddress } from './places.ts'
import * as say from './sentences.ts'

const perPage = 20
const maxShown = 100

export async function hooksView(seen: HooksSeen, typed: Typed): Promise<View> {
  const { app, place } = seen
  const { rows } = await listHooks(app.db, hookPlace(place), { limit: maxShown, offset: 0 })
  const title = titleOf(place)
  return framed(seen, {
    title,
    main: html`
      <h1>${title}</h1>
      <p>${say.purpose[place.kind]}</p>
      <details class="panel"${typed !== untouched && html` open`}>
        <summary>Add a webhook</summary>
        ${hookForm(seen, null, typed)}
      </details>
      ${rows.length === 0 ? emptyState(say.none()) : html`<ul class="rows">${rows.map((hook) => rowOf(seen, hook))}</ul>`}
    `,
  })
}

const titleOf = ({ kind }: SettingsPlace) => (kind === 'instance' ? t`System hooks` : t`Webhooks`)

function rowOf({ app, place }: HooksSeen, row: Hook): Html {
  const hook = presentHook(app, row)
  const wanted = say.flagsOf[place.kind].filter((flag) => row[flag]).map((flag) => say.flagLabels[flag])
  return html`
    <li>
      <div class="what">
        <a href="${hooksAddress(place)}/${hook.id}/edit"><b>${isolated(hook.name || hook.url)}</b></a> ${stateOf(hook)}
        <p>${hook.name && html`${isolated(hook.url)} · `}${wanted.join(', ')}</p>
      </div>
    </li>
  `
}

function stateOf({ alert_status, last_error }: Pick<ReturnType<typeof presentHook>, 'alert_status' | 'last_error'>): Html | null {
  if (alert_status === 'temporarily_disabled') return html`<span class="tag">rests</span>`
  return last_error === null ? null : html`<span class="tag">fails</span>`
}

function hookForm({ place, token, app }: HooksSeen, row: Hook | null, typed: Typed): Html {
  const shown = row && presentHook(app, row)
  const ticked = (flag: keyof Hook, usual: boolean) => String(row ? row[flag] === true : usual) as 'true' | 'false'
  const usual = place.kind === 'instance' ? 'repository_update_events' : 'push_events'
  const flags = say.flagsOf[place.kind].map((flag) => checkbox(say.flagLabels[flag], flag, typed, { value: ticked(flag, flag === usual) }))
  const action = row ? `${hooksAddress(place)}/${row.id}` : hooksAddress(place)
  const problems = problemsOf(typed.errors, ['url', 'name', 'token', 'signing_token', 'push_events_branch_filter'])
  const filter = field(t`Branches`, 'push_events_branch_filter', typed, {
    value: shown?.push_events_branch_filter ?? '',
    placeholder: 'release-*',
    hint: say.filterHint(),
  })
  return html`
    ${problems}${form(
      { action, token, submit: row ? t`Save the webhook` : t`Add the webhook` },
      html`
        ${field('URL', 'url', typed, {
          value: shown?.url ?? '',
          required: true,
          placeholder: 'https://example.com/hook',
          hint: say.urlHint(),
        })}
        ${field(t`Name`, 'name', typed, { value: shown?.name ?? '', autocomplete: 'off' })}
        ${field(t`Secret token`, 'token', typed, { type: 'password', autocomplete: 'new-password', hint: say.tokenHint() })}
        ${field(t`Signing key`, 'signing_token', typed, { type: 'password', autocomplete: 'new-password', hint: say.signingHint() })}
        <fieldset class="field"><legend>Events</legend><div class="ticks">${flags}</div></fieldset>
        ${place.kind !== 'instance' && filter}
        ${checkbox(t`Verify the certificate`, 'enable_ssl_verification', typed, {
          value: ticked('enable_ssl_verification', true),
          hint: say.verifyHint(),
        })}
      `,
    )}
  `
}

/** Five statements, regardless of the size of the log. */
export async function hookView(
  seen: HooksSeen & { hook: Hook },
  typed: Typed,
  number = 1,
  refused: RefusedValue | null = null,
): Promise<View> {
  const { app, place, hook, token } = seen
  const shown = presentHook(app, hook)
  const address = `${hooksAddress(place)}/${hook.id}`
  const { rows, total } = await listDeliveries(app.db, hook.id, pageFrom({ page: number, per_page: perPage }))
  const resting =
    shown.last_error !== null &&
    html`
      <div class="problems" role="status">
        ${
          shown.disabled_until === null
            ? html`<p>The last delivery failed: ${shown.last_error}. It is tried again.</p>`
            : html`<p>It rests until ${ago(shown.disabled_until)}: ${shown.last_error}. What happens meanwhile waits.</p>`
        }
      </div>
    `
  const failed = rows.some(({ state }) => state === 'failed')
  const title = shown.name || shown.url
  return framed(seen, {
    title: t`Webhook`,
    main: html`
      <h1>${isolated(title)}</h1>
      <p><a href="${hooksAddress(place)}">${place.kind === 'instance' ? t`All system hooks` : t`All webhooks`}</a></p>
      ${resting}
      <details class="panel"${typed !== untouched && html` open`}>
        <summary>Settings</summary>
        ${hookForm(seen, hook, typed)}
      </details>
      ${namedValuesView(seen, hook, refused)}
      <section class="setting" aria-labelledby="test">
        <h2 id="test">Test</h2>
        ${testForm(seen, address)}
      </section>
      <section class="setting" aria-labelledby="log">
        <h2 id="log">Deliveries</h2>
        ${
          total === 0
            ? emptyState(say.noDeliveries())
            : html`
              <ul class="rows">${rows.map((row) => deliveryRow(presentDelivery(app, hook, row), address, token))}</ul>
            `
        }
        ${pagesBelow(`${address}/edit`, { page: number, per_page: perPage, total })}
        ${failed && postButton(t`Send all failed ones again`, { action: `${address}/resend_failed`, token })}
      </section>
      ${dangerous(
        t`Remove the webhook`,
        html`
          <p>${say.removalWarning()}</p>
          ${postButton(t`Remove`, { action: `${address}/remove`, token, kind: 'danger' })}
        `,
      )}
    `,
  })
}

function testForm({ place, token }: HooksSeen, address: string): Html {
  const known = Object.keys(place.kind === 'group' ? groupTriggers : triggers) as (keyof typeof groupTriggers)[]
  const choices: Choice[] =
    place.kind === 'instance' ? [['project_create', t`A new project`]] : known.map((one) => [one, say.flagLabels[one]])
  return form(
    { action: `${address}/test`, token, submit: t`Send a test`, kind: 'plain' },
    select(t`Event`, 'trigger', untouched, choices, { hint: t`Sends the newest one there is.` }),
  )
}

/** A row of a log; the URL of the log is the prefix of that of the delivery. */
export function deliveryRow(event: ReturnType<typeof presentDelivery>, address: string, token: Html): Html {
  const { id, state, trigger, response_status, execution_duration, internal_error_message, created_at, attempts } = event
  const took = execution_duration === null ? '' : t` in ${Math.round(execution_duration * 1_000)} ms`
  const answer = internal_error_message ?? (response_status === null ? null : t`answered ${response_status}`)
  const facts = [...(answer === null ? [] : [`${answer}${took}`]), ...(attempts > 1 ? [`${attempts} attempts`] : [])]
  return html`
    <li>
      <div class="what">
        <a href="${address}/events/${id}">${trigger}</a> <span class="tag">${state}</span>
        <p>
          ${facts.map((fact) => `${fact} · `)}${ago(created_at)}
        </p>
      </div>
      <div class="facts">
        ${
          state !== 'waiting' &&
          postButton(html`Send again<span class="unseen"> ${id}</span>`, { action: `${address}/events/${id}/resend`, token })
        }
      </div>
    </li>
  `
}
