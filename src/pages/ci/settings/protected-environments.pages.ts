/** Protected environments of a project: who may deploy to them, and how many must approve. In its CI settings. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import {
  approvingRules,
  deleteProtection,
  listProtections,
  namesIn,
  type Protection,
  protectEnvironment,
  protectionInPath,
  protectionsManaged,
  wordsFor,
} from '../../../features/ci/protected-environments/protected-environments.ts'
import { type Html, html } from '../../../html/html.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { formPage, listWithForm, ofProject, type ProjectSeen, removableRow } from './lists.ts'
import { type SettingsSeen, sectionAddress, settingsAddress } from './places.ts'

const say = {
  about: 'Only these may deploy to it, and a deployment waits until enough others have approved it. Users, groups and rules: by the API.',
  none: 'No environment is protected yet: whoever may run pipelines deploys.',
  adding: 'Protect an environment',
  added: (name: string) => `${name} is protected.`,
  removed: (name: string) => `${name} is no longer protected.`,
  removal: 'Whoever may run pipelines can deploy to it then, without approvals.',
  countHint: 'Of people who may deploy; never that of who started the pipeline.',
}

const deployers = [
  ['40', 'Maintainers'],
  ['30', 'Developers and Maintainers'],
  ['60', 'Administrators'],
] as const

const back = (seen: ProjectSeen) => sectionAddress(ofProject(seen).place, 'protected-environments')

export const protectedEnvironmentPages = [
  action('POST /:project/settings/ci_cd/protected_environments', {
    access: protectionsManaged,
    form: {
      name: Type.String({ default: '', maxLength: 1_000 }),
      access_level: oneOfDefault('40', '30', '60'),
      required_approval_count: Type.Integer({ default: 0, minimum: 0, maximum: 100 }),
    },
    async act({ sent: { name, access_level, required_approval_count }, ...seen }) {
      const sent = { deploy_access_levels: [{ access_level: Number(access_level) }], required_approval_count }
      const { name: kept } = await protectEnvironment(seen.app, seen.project.id, seen.user, { name: name.trim(), ...sent })
      return { redirect: back(seen), notice: say.added(kept) }
    },
    again: formView,
  }),
  action('POST /:project/settings/ci_cd/protected_environments/:protected_environment_id/delete', {
    access: protectionInPath,
    async act({ app, protection, ...seen }) {
      await deleteProtection(app.db, protection.id)
      return { redirect: back({ app, ...seen }), notice: say.removed(protection.name) }
    },
  }),
]

export async function protectedEnvironmentsList(seen: SettingsSeen, project: LocatedProject): Promise<Html> {
  const { rows } = await listProtections(seen.app.db, project.id, { limit: 100, offset: 0 })
  const all = rows.flatMap(({ rules }) => rules)
  const names = await namesIn(seen.app.db, seen.user, all)
  const address = `${settingsAddress(seen.place)}/protected_environments`
  const row = (protection: Protection) => {
    const { id, name } = protection
    const words = protection.rules.filter(({ kind }) => kind === 'deploy').map((rule) => wordsFor(rule, names))
    return removableRow({
      what: html`<b>${isolated(name)}</b><p>${words.join(', ')} deploy; ${approvalsOf(protection, names)}</p>`,
      name,
      verb: 'Unprotect',
      consequence: say.removal,
      removal: { action: `${address}/${id}/delete`, token: seen.token, submit: 'Unprotect' },
    })
  }
  const adding = { title: say.adding, form: addForm(address, seen.token, untouched) }
  return listWithForm({ about: say.about, none: say.none, rows: rows.map(row), adding })
}

function approvalsOf(protection: Protection, names: Awaited<ReturnType<typeof namesIn>>): string {
  const rules = approvingRules(protection)
  if (rules.length > 0) return rules.map((rule) => `${rule.required_approvals} of ${wordsFor(rule, names)} approve`).join(', ')
  const { required_approval_count: count } = protection
  return count === 0 ? 'no approvals' : count === 1 ? '1 approval' : `${count} approvals`
}

const count = { type: 'number', min: 0, max: 100, hint: say.countHint, id: 'protected-', value: '0' } as const

function addForm(action: string, token: Html, typed: Typed): Html {
  const content = html`
    ${problemsOf(typed.errors, ['name', 'access_level', 'required_approval_count'])}
    ${field('Environment', 'name', typed, { required: true, id: 'protected-' })}
    ${select('Who may deploy', 'access_level', typed, deployers, { id: 'protected-' })}
    ${field('Approvals', 'required_approval_count', typed, count)}
  `
  return form({ action, token, submit: 'Protect the environment' }, content)
}

function formView(seen: ProjectSeen, typed: Typed): View {
  const settings = ofProject(seen)
  const content = addForm(`${settingsAddress(settings.place)}/protected_environments`, seen.token, typed)
  return formPage(settings, { title: say.adding, back: [back(seen), 'All settings'] }, content)
}
