/** Feature flags. */

import { Type } from 'typebox'
import { badParameter } from '../../../failure.ts'
import { featureRows, presentFeatures, removeFeature, setFeature } from '../../../features/instance/feature-flags/feature-flags.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const text = Type.String({ default: '' })
const address = '/admin/features'

const scopes = ['everybody', 'percentage_of_time', 'percentage_of_actors', 'feature_group', 'user', 'group', 'project'] as const

export const featurePages = [
  page('GET /admin/features', { access: administration(), show: (visit) => featuresView(visit, untouched) }),
  action('POST /admin/features', {
    access: administration(),
    form: { name: text, value: text, scope: text, names: text },
    async act({ app, sent: { name, value, scope, names } }) {
      const known = scopes.find((one) => one === scope)
      if (known === undefined) throw badParameter(t`scope does not have a valid value`)
      const key = known === 'percentage_of_time' || known === 'percentage_of_actors' ? { key: known } : {}
      const targets = known === 'feature_group' || known === 'user' || known === 'group' || known === 'project' ? { [known]: names } : {}
      await setFeature(app.db, name.trim(), { value: value.trim(), ...key, ...targets })
      return { redirect: address, notice: sentences.featureSaved }
    },
    again: featuresView,
  }),
  action('POST /admin/features/remove', {
    access: administration(),
    form: { name: text },
    async act({ app, sent: { name } }) {
      await removeFeature(app.db, name)
      return { redirect: address, notice: sentences.featureRemoved }
    },
  }),
]

const choices = (): Choice[] => [
  ['everybody', t`Everybody`],
  ['percentage_of_time', t`A share of the time`],
  ['percentage_of_actors', t`A share of users, groups and projects`],
  ['feature_group', t`A group of users: administrators`],
  ['user', t`Users`],
  ['group', t`Groups`],
  ['project', t`Projects`],
]

async function featuresView({ app, token }: AdminVisit, typed: Typed): Promise<View> {
  const flags = presentFeatures(await featureRows(app.db))
  return adminView('features', {
    title: t`Features`,
    main: html`
      <h1>Feature flags</h1>
      <p>${sentences.featuresAre}</p>
      ${flags.length === 0 ? emptyState(sentences.noFeatures) : html`<ul class="rows">${flags.map((flag) => rowOf(flag, token))}</ul>`}
      <h2>Set a flag</h2>
      ${problemsOf(typed.errors, ['name', 'value', 'scope', 'names'])}
      ${form(
        { action: address, token, submit: t`Set flag` },
        html`
          <div class="pair">
            ${field(t`Name`, 'name', typed, { required: true, autocomplete: 'off' })}
            ${field(t`Value`, 'value', typed, { required: true, hint: sentences.featureValue })}
            ${select(t`For whom`, 'scope', typed, choices(), { value: 'everybody' })}
            ${field(t`Which`, 'names', typed, { hint: t`Usernames or paths, with commas between them.` })}
          </div>
        `,
      )}
    `,
  })
}

type Flag = ReturnType<typeof presentFeatures>[number]

function rowOf({ name, state, gates }: Flag, token: Html): Html {
  const open = gates
    .filter(({ value }) => value !== false)
    .map(({ key, value }) => `${key}: ${Array.isArray(value) ? value.join(', ') : value}`)
  return html`
    <li>
      <div class="what">
        <code>${isolated(name)}</code>
        <p>${open.join('; ')}</p>
      </div>
      <div class="facts">
        <span class="tag">${state}</span>
        ${postButton(t`Reset`, { action: `${address}/remove`, token, fields: { name } })}
      </div>
    </li>
  `
}
