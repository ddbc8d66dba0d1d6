/** CI variables of projects, groups and the instance. A value is shown only on the page that edits it. */

import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import {
  changeVariable,
  createVariable,
  deleteVariable,
  listVariables,
  openValue,
  type VariableRow,
  variableAt,
} from '../../../features/ci/variables/variables.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Off, oneOf } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, dangerous, field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { settingSentences as say } from '../sentences.ts'
import { valueFields, variableFields } from '../variables-field.ts'
import { formPage } from './lists.ts'
import {
  baseOf,
  type SettingsGranted,
  type SettingsPlace,
  type SettingsSeen,
  sectionAddress,
  settingsAddress,
  variableManagers,
  variablePlace,
} from './places.ts'

/** Limit of the list; the API lists all. */
const maxShown = 500

const fields = {
  ...variableFields,
  description: Type.String({ default: '', maxLength: 255 }),
  environment_scope: Type.String({ default: '*', maxLength: 255 }),
  protected: Off,
  visibility: oneOf('visible', 'masked', 'hidden'),
  raw: Off,
}
type Sent = {
  value: string
  kind: 'env_var' | 'file'
  description: string
  environment_scope: string
  protected: boolean
  visibility: 'visible' | 'masked' | 'hidden'
  raw: boolean
}

const inPlace = nested(
  { variable_id: Id },
  async ({ place }: SettingsGranted, { variable_id }, app): Promise<{ variable: VariableRow }> => {
    const variable = await variableAt(app.db, variablePlace(place), variable_id)
    if (!variable) throw notFound('Variable')
    return { variable }
  },
)

export function variablePages(kind: SettingsPlace['kind']): Page[] {
  const base = baseOf(kind)
  const managed = variableManagers(kind)
  const one = within(managed, inPlace)
  return [
    page(`GET ${base}/variables/new`, { access: managed, show: (seen) => newView(seen, untouched) }),
    action(`POST ${base}/variables`, {
      access: managed,
      form: { ...fields, key: Type.String({ maxLength: 255 }) },
      async act({ app, place, sent }) {
        const { key } = await createVariable(app, variablePlace(place), {
          ...inputOf(place, sent),
          key: sent.key,
          hidden: place.kind !== 'instance' && sent.visibility === 'hidden',
        })
        return { redirect: sectionAddress(place, 'variables'), notice: say.variableAdded(key) }
      },
      again: (seen, typed) => newView(seen, withoutValue(typed)),
    }),
    page(`GET ${base}/variables/:variable_id/edit`, { access: one, show: (seen) => editView(seen, untouched) }),
    action(`POST ${base}/variables/:variable_id`, {
      access: one,
      form: fields,
      async act({ app, place, variable, sent }) {
        const { value, ...input } = inputOf(place, sent)
        const staysHidden = variable.hidden && value === ''
        const { key } = await changeVariable(app, variable, staysHidden ? input : { ...input, value })
        return { redirect: sectionAddress(place, 'variables'), notice: say.variableChanged(key) }
      },
      again: (seen, typed) => editView(seen, withoutValue(typed)),
    }),
    action(`POST ${base}/variables/:variable_id/delete`, {
      access: one,
      async act({ app, place, variable }) {
        await deleteVariable(app.db, variable.id)
        return { redirect: sectionAddress(place, 'variables'), notice: say.variableDeleted(variable.key) }
      },
    }),
  ]
}

function inputOf(place: SettingsPlace, { value, kind, description, environment_scope, protected: is_protected, visibility, raw }: Sent) {
  const scope = place.kind === 'instance' ? '*' : environment_scope.trim() || '*'
  const masked = visibility !== 'visible'
  return {
    value,
    kind,
    description: description.trim() || null,
    environment_scope: scope,
    protected: is_protected,
    masked,
    raw,
  }
}

/** A rejected value isn't shown again: it may be a secret. */
function withoutValue({ values: { value: _, ...values }, errors }: Typed): Typed {
  return { values, errors }
}

/** Their names and settings. Two statements. */
export async function variablesList({ app, place, token }: SettingsSeen): Promise<Html> {
  const { rows, total } = await listVariables(app.db, variablePlace(place), { limit: maxShown, offset: 0 })
  const address = `${settingsAddress(place)}/variables`
  const row = ({ id, key, kind, environment_scope, description, ...is }: VariableRow) =>
    html`
      <li>
        <div class="what">
          <code>${key}</code>
          ${is.protected && html`<span class="tag">protected</span>`}
          ${is.hidden ? html`<span class="tag">hidden</span>` : is.masked && html`<span class="tag">masked</span>`}
          ${kind === 'file' && html`<span class="tag">file</span>`} ${is.raw && html`<span class="tag">raw</span>`}
          ${environment_scope !== '*' && html`<span class="tag"><bdi>${environment_scope}</bdi></span>`}
          ${description !== null && html`<p><bdi>${description}</bdi></p>`}
        </div>
        <div class="facts">
          <a class="button" href="${address}/${id}/edit">Edit<span class="unseen"> ${key}</span></a>
          ${dangerous(
            html`Delete<span class="unseen"> ${key}</span>`,
            html`
              <p>${say.variableDeletion}</p>
              ${form({ action: `${address}/${id}/delete`, token, submit: t`Delete the variable`, kind: 'danger' }, html``)}
            `,
          )}
        </div>
      </li>
    `
  return html`
    <p class="hint">${say.variables(place.kind)}</p>
    ${rows.length === 0 ? html`<p class="empty">${say.noVariables}</p>` : html`<ul class="rows">${rows.map(row)}</ul>`}
    ${total > rows.length && html`<p class="hint">${count(total - rows.length, 'more variable')}</p>`}
    <p><a class="button" href="${address}/new">Add a variable</a></p>
  `
}

function newView(seen: SettingsSeen, typed: Typed): View {
  const { place, token } = seen
  const content = html`
    ${problemsOf(typed.errors, ['key', ...Object.keys(fields)])}${field(t`Name`, 'key', typed, {
      required: true,
      autocomplete: 'off',
    })}${fieldsOf(place, typed, null, '')}
  `
  return formView(
    seen,
    t`Add a variable`,
    form({ action: `${settingsAddress(place)}/variables`, token, submit: t`Add the variable` }, content),
  )
}

function editView(seen: SettingsSeen & { variable: VariableRow }, typed: Typed): View {
  const { app, place, token, variable } = seen
  const content = html`${problemsOf(typed.errors, Object.keys(fields))}${fieldsOf(place, typed, variable, openValue(app, variable) ?? '')}`
  const action = `${settingsAddress(place)}/variables/${variable.id}`
  return formView(seen, t`Edit ${variable.key}`, form({ action, token, submit: t`Save the variable` }, content))
}

function fieldsOf({ kind: placeKind }: SettingsPlace, typed: Typed, row: VariableRow | null, value: string): Html {
  const yes = (is: boolean | undefined) => (is === true ? 'true' : 'false')
  // Hidden is permanent, and can only be chosen at creation.
  const choices = row?.hidden
    ? (['hidden'] as const)
    : (['visible', 'masked', ...(row === null && placeKind !== 'instance' ? ['hidden' as const] : [])] as const)
  const visibility = row?.hidden ? 'hidden' : row?.masked ? 'masked' : 'visible'
  return html`
    ${valueFields(typed, { value, kind: row?.kind ?? 'env_var', ...(row?.hidden && { hint: say.hiddenHint }) })}${select(
      t`Visibility`,
      'visibility',
      typed,
      choices.map((choice) => [choice, say.visibilities[choice]] as const),
      { value: visibility, hint: say.maskedHint },
    )}
    ${checkbox(t`Protected`, 'protected', typed, { value: yes(row?.protected), hint: say.protectedHint })}
    ${checkbox(t`Raw`, 'raw', typed, { value: yes(row?.raw), hint: say.rawHint })}
    ${
      placeKind !== 'instance' &&
      field(t`Environments`, 'environment_scope', typed, { value: row?.environment_scope ?? '*', hint: say.scopeHint })
    }${field(t`Description`, 'description', typed, { value: row?.description ?? '' })}
  `
}

function formView(seen: SettingsSeen, title: string, content: Html): View {
  return formPage(seen, { title, back: [sectionAddress(seen.place, 'variables'), t`All variables`] }, content)
}
