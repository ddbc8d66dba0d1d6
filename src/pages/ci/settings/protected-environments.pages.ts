/** Protected environments of projects and groups: who may deploy to them, and how many must approve. In their CI settings. */

import { Type } from 'typebox'
import {
  approvingRules,
  deleteProtection,
  environmentTiers,
  listProtections,
  namesIn,
  type Protection,
  protectEnvironment,
  protectionInPath,
  protectionPlace,
  protectionsManaged,
  wordsFor,
} from '../../../features/ci/protected-environments/protected-environments.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Place, PlaceKind } from '../../../http/declare/places.ts'
import type { SignedIn } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, type Page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { formPage, listWithForm, removableRow } from './lists.ts'
import { baseOf, sectionAddress, settingsAddress } from './places.ts'

const say = translated({
  about: 'Only these may deploy to it, and a deployment waits until enough others have approved it. Users, groups and rules: by the API.',
  aboutGroup:
    'Only these deploy to environments of a tier, in all projects below the group, and only once enough others have approved it. ' +
    'Roles are those in this group; what a project asks for counts, too. Users, groups and rules: by the API.',
  none: 'No environment is protected yet: whoever may run pipelines deploys.',
  adding: 'Protect an environment',
  added: (name: string) => t`${name} is protected.`,
  removed: (name: string) => t`${name} is no longer protected.`,
  removal: 'Whoever may run pipelines can deploy to it then, without approvals.',
  countHint: 'Of people who may deploy; never that of who started the pipeline.',
})

const deployers = () =>
  [
    ['40', t`Maintainers`],
    ['30', t`Developers and Maintainers`],
    ['60', t`Administrators`],
  ] as const

type Seen = Visit & SignedIn & { place: Place }

const back = ({ place }: Seen) => sectionAddress(place, 'protected-environments')

export const protectedEnvironmentPages = (kind: PlaceKind): Page[] => [
  action(`POST ${baseOf(kind)}/protected_environments`, {
    access: protectionsManaged(kind),
    form: {
      name: Type.String({ default: '', maxLength: 1_000 }),
      access_level: oneOfDefault('40', '30', '60'),
      required_approval_count: Type.Integer({ default: 0, minimum: 0, maximum: 100 }),
    },
    async act({ sent: { name, access_level, required_approval_count }, ...seen }) {
      const sent = { deploy_access_levels: [{ access_level: Number(access_level) }], required_approval_count }
      const { name: kept } = await protectEnvironment(seen.app, protectionPlace(seen.place), seen.user, { name: name.trim(), ...sent })
      return { redirect: back(seen), notice: say.added(kept) }
    },
    again: formView,
  }),
  action(`POST ${baseOf(kind)}/protected_environments/:protected_environment_id/delete`, {
    access: protectionInPath(kind),
    async act({ app, protection, ...seen }) {
      await deleteProtection(app.db, protection.id)
      return { redirect: back({ app, ...seen }), notice: say.removed(protection.name) }
    },
  }),
]

export async function protectedEnvironmentsList(seen: Seen): Promise<Html> {
  const { rows } = await listProtections(seen.app.db, protectionPlace(seen.place), { limit: 100, offset: 0 })
  const all = rows.flatMap(({ rules }) => rules)
  const names = await namesIn(seen.app.db, seen.user, all)
  const address = `${settingsAddress(seen.place)}/protected_environments`
  const row = (protection: Protection) => {
    const { id, name } = protection
    const words = protection.rules.filter(({ kind }) => kind === 'deploy').map((rule) => wordsFor(rule, names))
    return removableRow({
      what: html`<b>${isolated(name)}</b><p>${words.join(', ')} deploy; ${approvalsOf(protection, names)}</p>`,
      name,
      verb: t`Unprotect`,
      consequence: say.removal,
      removal: { action: `${address}/${id}/delete`, token: seen.token, submit: t`Unprotect` },
    })
  }
  const adding = { title: say.adding, form: addForm(seen, untouched) }
  const about = seen.place.kind === 'group' ? say.aboutGroup : say.about
  return listWithForm({ about, none: say.none, rows: rows.map(row), adding })
}

function approvalsOf(protection: Protection, names: Awaited<ReturnType<typeof namesIn>>): string {
  const rules = approvingRules([protection])
  if (rules.length > 0) return rules.map((rule) => t`${rule.required_approvals} of ${wordsFor(rule, names)} approve`).join(', ')
  const { required_approval_count: approvals } = protection
  return approvals === 0 ? t`no approvals` : count(approvals, 'approval')
}

const tiers = environmentTiers.map((tier) => [tier, tier] as const)

const countField = () => ({ type: 'number', min: 0, max: 100, hint: say.countHint, id: 'protected-', value: '0' }) as const

function addForm({ place, token }: Seen, typed: Typed): Html {
  const action = `${settingsAddress(place)}/protected_environments`
  const content = html`
    ${problemsOf(typed.errors, ['name', 'access_level', 'required_approval_count'])}
    ${
      place.kind === 'group'
        ? select(t`Tier`, 'name', typed, tiers, { id: 'protected-' })
        : field(t`Environment`, 'name', typed, { required: true, id: 'protected-' })
    }
    ${select(t`Who may deploy`, 'access_level', typed, deployers(), { id: 'protected-' })}
    ${field(t`Approvals`, 'required_approval_count', typed, countField())}
  `
  return form({ action, token, submit: t`Protect the environment` }, content)
}

function formView(seen: Seen, typed: Typed): View {
  return formPage(seen, { title: say.adding, back: [back(seen), t`All settings`] }, addForm(seen, typed))
}
