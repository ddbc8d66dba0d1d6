/** The push rules of a project, a group or the instance: one form. */

import { Type } from 'typebox'
import type { PushRule } from '../../../db/tables.ts'
import {
  type PushRulePlace,
  regexFields,
  removePushRule,
  ruleInForce,
  ruleOf,
  savePushRule,
} from '../../../features/repository/push-rules/push-rules.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { managers, onProjectOrGroup } from '../../../http/declare/places.ts'
import type { Access } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { onInstance, type SettingsGranted, type SettingsPlace, settingsView } from '../../instance/admin/settings-places.ts'
import { sentences } from './sentences.ts'

type RulesVisit = Visit & SettingsGranted
type RegexName = keyof typeof sentences.regexes
type FlagName = keyof typeof sentences.flags

const bases = {
  project: '/:project/settings/push_rules',
  group: '/groups/:group/-/settings/push_rules',
  instance: '/admin/push_rule',
} as const
const regexNames = Object.keys(regexFields) as RegexName[]
const flagNames = Object.keys(sentences.flags) as FlagName[]
const text = Type.String({ default: '' })
const box = Type.Boolean({ default: false })
const fields = {
  ...(Object.fromEntries(regexNames.map((name) => [name, text])) as Record<RegexName, typeof text>),
  ...(Object.fromEntries(flagNames.map((name) => [name, box])) as Record<FlagName, typeof box>),
  max_file_size: Type.Integer({ default: 0 }),
}

function accessTo(kind: SettingsPlace['kind']): Access<SettingsGranted> {
  return kind === 'instance' ? onInstance() : onProjectOrGroup(kind, managers)
}

function addressOf(place: SettingsPlace): string {
  if (place.kind === 'instance') return bases.instance
  return place.kind === 'group' ? `/groups/${place.row.full_path}/-/settings/push_rules` : `/${place.row.full_path}/settings/push_rules`
}

function rowsOf(place: SettingsPlace): PushRulePlace {
  if (place.kind === 'instance') return { is_instance: true }
  return place.kind === 'group' ? { group_id: place.row.id } : { project_id: place.row.id }
}

/** One statement, or two where a project has no rules of its own. */
async function rulesView({ app, place, user, token }: RulesVisit, typed: Typed = untouched): Promise<View> {
  const own = await ruleOf(app.db, rowsOf(place))
  const above = own === null && place.kind === 'project' ? await ruleInForce(app.db, place.row) : null
  const address = addressOf(place)
  const main = html`
    <h1>Push rules</h1>
    <p class="hint">${sentences.what}</p>
    <p>${stateOf(place.kind, own, above)}</p>
    <div class="page-form">${form({ action: address, token, submit: t`Save` }, formOf(own ?? above, typed))}</div>
    ${
      own !== null &&
      dangerous(
        t`Remove these rules`,
        html`
          <p>${sentences.removal[place.kind]}</p>
          ${form({ action: `${address}/remove`, token, submit: t`Remove`, kind: 'danger' }, html``)}
        `,
      )
    }
  `
  return settingsView({ place, user }, { admin: 'push_rules', place: 'push-rules' }, { title: t`Push rules`, main })
}

function stateOf(kind: SettingsPlace['kind'], own: PushRule | null, above: PushRule | null): string {
  if (own) return sentences.own[kind]
  if (above) return sentences.inherited(above.group_id === null ? sentences.ofInstance : sentences.ofGroup)
  return sentences.none[kind]
}

function formOf(rule: PushRule | null, typed: Typed): Html {
  const [sizeLabel, sizeHint] = sentences.size
  return html`
    ${problemsOf(typed.errors, [...regexNames, 'max_file_size'])}
    ${regexNames.map((name) => {
      const [label, hint] = sentences.regexes[name]
      return field(label, name, typed, { value: rule?.[name] ?? '', hint, autocomplete: 'off' })
    })}
    ${field(sizeLabel, 'max_file_size', typed, { type: 'number', min: 0, value: String(rule?.max_file_size ?? 0), hint: sizeHint })}
    ${flagNames.map((name) => {
      const [label, hint] = sentences.flags[name]
      return checkbox(label, name, typed, { value: rule?.[name] ? 'true' : 'false', hint })
    })}
  `
}

function pagesOf(kind: SettingsPlace['kind']): Page[] {
  const base = bases[kind]
  const access = accessTo(kind)
  return [
    page(`GET ${base}`, { access, show: (visit) => rulesView(visit) }),
    action(`POST ${base}`, {
      access,
      form: fields,
      async act({ app, place, sent }) {
        await savePushRule(app.db, rowsOf(place), sent)
        return { redirect: addressOf(place), notice: sentences.saved }
      },
      again: (visit, typed) => rulesView(visit, typed),
    }),
    action(`POST ${base}/remove`, {
      access,
      async act({ app, place }) {
        const rule = await ruleOf(app.db, rowsOf(place))
        if (rule) await removePushRule(app.db, rule)
        return { redirect: addressOf(place), notice: sentences.removed }
      },
    }),
  ]
}

export const pushRulePages = [...pagesOf('project'), ...pagesOf('group'), ...pagesOf('instance')]
