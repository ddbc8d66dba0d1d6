/** The settings of the instance, in groups, with a form for each. */

import { type TSchema, Type } from 'typebox'
import { Failure, invalid } from '../../../failure.ts'
import { readSettings, type SettingName, type Settings, saveSettings, settingsTable } from '../../../features/instance/settings/settings.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { validator } from '../../../http/parameters/validate.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { labelOf } from '../../frame/errors.ts'
import { form, problemsOf, untouched } from '../../frame/forms.ts'
import { navigation } from '../../frame/parts.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'
import { controlFor, isSecret, optionsIn, textOf } from './setting-controls.ts'
import { groupNamed, namesIn, settingGroups } from './setting-groups.ts'
import { type SettingWords, wordsOf } from './setting-words.ts'

const address = '/admin/application_settings'
const text = Type.Optional(Type.String())

/** A text for each setting, and a checkbox for each word of a list of words. */
const fields = Object.fromEntries(
  (Object.keys(settingsTable) as SettingName[]).flatMap((name) => {
    const options = optionsIn(settingsTable[name].schema)
    return options === null ? [[name, text]] : options.map((option) => [`${name}.${option}`, text])
  }),
)

export const settingPages = [
  page('GET /admin/settings', { access: administration(), show: () => ({ redirect: address }) }),
  page('GET /admin/application_settings', {
    access: administration(),
    query: { group: Type.String({ default: '' }) },
    show: ({ sent, ...visit }) => settingsView(visit, untouched, sent.group),
  }),
  action('POST /admin/application_settings', {
    access: administration(),
    form: { group: Type.String({ default: '' }), ...fields },
    async act({ app, sent: { group, ...sent } }) {
      const chosen = groupNamed(group)
      await saveSettings(app, changeIn(namesIn(chosen), sent as Record<string, string | undefined>, await readSettings(app.db)))
      return { redirect: `${address}?group=${chosen.key}`, notice: sentences.settingsSaved }
    },
    again: (visit, typed) => settingsView(visit, typed, typed.values.group ?? ''),
  }),
]

/** The settings of a group in a submitted form. Throws 400 with the errors by field. */
function changeIn(names: readonly SettingName[], sent: Readonly<Record<string, string | undefined>>, before: Settings) {
  const change: Record<string, unknown> = {}
  const errors: Record<string, string[]> = {}
  for (const name of names) {
    const schema: TSchema = settingsTable[name].schema
    const typed = typedValue(name, schema, sent)
    // A secret isn't shown, so an empty field keeps it.
    if (typed === undefined || (isSecret(name) && typed === '')) change[name] = before[name]
    else {
      const { value, error } = readValue(name, schema, typed)
      if (error === null) change[name] = value
      else errors[name] = [error]
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return change
}

/** Undefined if the form had no such field. */
function typedValue(name: SettingName, schema: TSchema, sent: Readonly<Record<string, string | undefined>>): string | string[] | undefined {
  const options = optionsIn(schema)
  if (options !== null) {
    const boxes = options.map((option) => [option, sent[`${name}.${option}`]] as const)
    return boxes.every(([, box]) => box === undefined) ? undefined : boxes.flatMap(([option, box]) => (box === 'true' ? [option] : []))
  }
  const typed = sent[name]
  const { type } = schema as { type?: string | string[] }
  if (typed === undefined || typed.trim() === '' || ![type].flat().includes('array')) return typed
  return typed.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

function readValue(name: string, schema: TSchema, typed: string | string[]): { value: unknown; error: string | null } {
  const { type } = schema as { type?: string | string[] }
  const mayBeNull = [type].flat().includes('null')
  const isEmpty = typeof typed === 'string' && typed.trim() === ''
  if (isEmpty && mayBeNull) return { value: null, error: null }
  if (isEmpty && type === 'array') return { value: [], error: null }
  if (isEmpty && type !== 'string') return { value: null, error: t`can't be blank` }
  try {
    return { value: (validator({ [name]: schema })({ [name]: typed }) as Record<string, unknown>)[name], error: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { value: null, error: t`is not a valid value` }
  }
}

async function settingsView({ app, token }: AdminVisit, typed: Typed, chosen: string): Promise<View> {
  const settings = await readSettings(app.db)
  const group = groupNamed(chosen)
  const { key, sections } = group
  const title = group.title()
  const links = settingGroups.map((one) => ({ label: one.title(), href: `${address}?group=${one.key}`, isCurrent: one.key === key }))
  const shown = inWordsOfPages(typed)
  const control = (name: SettingName) => {
    const { schema, meaning } = settingsTable[name]
    return controlFor(name, { schema, words: wordsOf(name, meaning), value: textOf(settings[name]), chosen: settings[name] }, shown)
  }
  const fields: Html[] = sections.map((one) => html`${one.title !== null && html`<h3>${one.title()}</h3>`}${one.names.map(control)}`)
  return adminView('settings', {
    title: t`${title} · Settings`,
    main: html`
      <h1>Settings</h1>
      ${navigation(t`Groups of settings`, links, 'tabs second')}
      <h2>${title}</h2>
      ${key === 'kept' && html`<p>${sentences.settingsKept}</p>`}
      ${problemsOf(shown.errors, namesIn(group))}
      ${form({ action: address, token, submit: t`Save settings` }, html`<input type="hidden" name="group" value="${key}">${fields}`)}
    `,
  })
}

/** Errors begin with the name that the API has for the setting. */
function inWordsOfPages({ values, errors }: Typed): Typed {
  const of = Object.entries(errors.of).map(([name, found]) => {
    const words: SettingWords | undefined = Object.hasOwn(settingsTable, name) ? wordsOf(name as SettingName, '') : undefined
    return [name, found.map((text) => (words ? text.replace(labelOf(name), words.label) : text))]
  })
  return { values, errors: { ...errors, of: Object.fromEntries(of) } }
}
