/** The form of an integration, built from its kind: its fields and its events. */

import { type TProperties, Type } from 'typebox'
import {
  type EventFlag,
  eventFlags,
  type Field,
  type Kind,
  kinds,
  type Settings,
  textOf,
} from '../../../features/integrations/kinds/kinds.ts'
import type { Flags } from '../../../features/integrations/services/services.ts'
import { type Html, html } from '../../../html/html.ts'
import { declared, t } from '../../../html/sentences.ts'
import { Off } from '../../../http/parameters/schema.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, field, select, textArea } from '../../frame/forms.ts'
import * as say from './sentences.ts'

const flags = [...eventFlags, 'commit_events'] as const satisfies readonly EventFlag[]

/** Fields of all kinds: which of them are sent depends on the kind. */
export const formFields: TProperties = {
  active: Off,
  ...Object.fromEntries(flags.map((flag) => [flag, Off])),
  ...Object.fromEntries(
    kinds.flatMap(({ fields }) => fields.map(({ name, type }) => [name, type === 'checkbox' ? Off : Type.String({ default: '' })])),
  ),
}

export interface Entered {
  active: boolean
  fields: Settings
  flags: Flags
}

/**
 * The submitted settings of this kind. A value that was shown without its password, and comes back unchanged, is replaced by the stored
 * one.
 * @param shown settings as the form showed them
 * @param stored null if it was never set
 */
export function enteredOf(kind: Kind, sent: Readonly<Record<string, unknown>>, shown: Settings, stored: Settings | null): Entered {
  const given = ({ name, type }: Field) => {
    const value = sent[name]
    if (type === 'checkbox') return value === true
    return stored && value !== '' && String(value) === textOf(shown, name) ? stored[name] : String(value ?? '')
  }
  return {
    active: sent.active === true,
    fields: Object.fromEntries(kind.fields.map((one) => [one.name, given(one)])),
    flags: Object.fromEntries(kind.events.map((flag) => [flag, sent[flag] === true])),
  }
}

interface Filled {
  active: boolean
  shown: Settings
  isOn: (flag: EventFlag) => boolean
}

export function fieldsView({ fields, events }: Kind, { active, shown, isOn }: Filled, typed: Typed): Html {
  const special = fields.filter(({ name }) => name.endsWith('_channel'))
  const usual = fields.filter((one) => !special.includes(one))
  const shownIn = (one: Field) => control(one, textOf(shown, one.name), typed)
  const hearing = events.map((flag) => checkbox(say.eventLabels[flag], flag, typed, { value: isOn(flag) ? 'true' : 'false' }))
  return html`
    ${checkbox(t`Active`, 'active', typed, { value: active ? 'true' : 'false', hint: say.activeHint() })}
    ${usual.map(shownIn)} ${
      special.length > 0 &&
      channelsView(
        special.map(shownIn),
        special.some(({ name }) => textOf(shown, name) !== ''),
      )
    }
    ${hearing.length > 0 && html`<fieldset class="field"><legend>Events</legend><div class="ticks">${hearing}</div></fieldset>`}
  `
}

/** Most rooms have one channel for everything. */
function channelsView(controls: Html[], isOpen: boolean): Html {
  return html`
    <details class="entry"${isOpen && html` open`}>
      <summary>${say.channelsByEvent()}</summary>
      <div class="ticks">${controls}</div>
    </details>
  `
}

function control({ name, type, required, secret, placeholder, choices = [], ...said }: Field, value: string, typed: Typed): Html {
  const title = declared(said.title)
  const help = said.help === undefined ? undefined : declared(said.help)
  if (type === 'checkbox') return checkbox(title, name, typed, { value: value === 'true' ? 'true' : 'false', hint: help })
  if (type === 'select')
    return select(title, name, typed, [['', ''], ...choices.map(([choice, words]) => [choice, declared(words)] as const)], {
      value,
      hint: help,
      required: required === true,
    })
  if (type === 'textarea') return textArea(title, name, typed, { value, hint: help, rows: 3, required: required === true })
  if (secret)
    return field(title, name, typed, {
      type: 'password',
      autocomplete: 'new-password',
      hint: help ? html`${help} ${say.secretHint()}` : say.secretHint(),
    })
  const given = { value, hint: help, autocomplete: 'off', required: required === true, ...(placeholder !== undefined && { placeholder }) }
  return field(title, name, typed, type === 'number' ? { ...given, type: 'number', min: 1, max: 65_535 } : given)
}
