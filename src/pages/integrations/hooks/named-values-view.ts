/** The headers and URL variables of a webhook: their names, never their values, and a form to add or replace one. */

import type { Hook } from '../../../db/tables.ts'
import { presentHook, type ValueKind } from '../../../features/integrations/hooks/hooks.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { type HooksSeen, hooksAddress } from './places.ts'
import * as say from './sentences.ts'

/** A rejected value. */
export interface RefusedValue {
  kind: ValueKind
  typed: Typed
}

export function namedValuesView(seen: HooksSeen, hook: Hook, refused: RefusedValue | null): Html {
  const shown = presentHook(seen.app, hook)
  const part = (kind: ValueKind) => {
    const typed = refused?.kind === kind ? refused.typed : untouched
    return valuesView(seen, hook, kind, { names: (shown[kind] ?? []).map(({ key }) => key), typed })
  }
  return html`${part('custom_headers')}${part('url_variables')}`
}

function valuesView({ place, token }: HooksSeen, { id }: Hook, kind: ValueKind, { names, typed }: { names: string[]; typed: Typed }): Html {
  const address = `${hooksAddress(place)}/${id}/${kind}`
  const { heading, hint, noun } = say.values[kind]
  const rows = names.map(
    (name) => html`
      <li>
        <div class="what"><code>${name}</code></div>
        <div class="facts">
          ${postButton(html`Remove<span class="unseen"> ${name}</span>`, { action: `${address}/remove`, token, fields: { key: name } })}
        </div>
      </li>
    `,
  )
  return html`
    <section class="setting" aria-labelledby="${kind}">
      <h2 id="${kind}">${heading}</h2>
      <p>${hint}</p>
      ${rows.length > 0 && html`<ul class="rows">${rows}</ul>`}
      ${problemsOf(typed.errors, [])}
      ${form(
        { action: address, token, submit: t`Save the ${noun}`, kind: 'plain' },
        html`
          ${field(t`Name`, 'key', typed, { id: `${kind}-`, required: true, autocomplete: 'off' })}
          ${field(t`Value`, 'value', typed, { id: `${kind}-`, required: true, type: 'password', autocomplete: 'new-password' })}
        `,
      )}
    </section>
  `
}
