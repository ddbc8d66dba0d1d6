/** The places of service accounts: a project, a group or the instance; with the addresses and the frame of their pages. */
import type { User } from '../../../db/tables.ts'
import { ofInstance, ofPlace } from '../../../features/spaces/service-accounts/service-accounts.ts'
import { columnsOf, managers, onProjectOrGroup, type Place } from '../../../http/declare/places.ts'
import { type Access, only, people, type SignedIn } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { groupView } from '../../group/group-view.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'
import { projectView } from '../../project/project-view.ts'
import { administration, adminView } from '../admin/admin-view.ts'

export type AccountsPlace = Place | { kind: 'instance' }
export type InPlace = SignedIn & { place: AccountsPlace }
export type OfAccount = InPlace & { account: User }
export type AccountsVisit = Visit & InPlace

export const bases = {
  project: '/:project/settings/service_accounts',
  group: '/groups/:group/-/settings/service_accounts',
  instance: '/admin/service_accounts',
} as const

/** The rules of the list, and of one account in it. */
export function accessTo(kind: AccountsPlace['kind']): { list: Access<InPlace>; one: Access<OfAccount> } {
  if (kind === 'instance') return { list: placed(administration()), one: placed(within(administration(), ofInstance)) }
  const managed = only(onProjectOrGroup(kind, managers), people)
  return { list: managed, one: within(managed, ofPlace) }
}

/** The rule, granting the instance as `place`. */
function placed<G extends SignedIn>(rule: Access<G>): Access<G & { place: AccountsPlace }> {
  return { ...rule, grant: async (request) => ({ ...(await rule.grant(request)), place: { kind: 'instance' } as const }) }
}

/** Whose accounts they are, as tables have it. */
export function ownerOf(place: AccountsPlace) {
  return place.kind === 'instance' ? null : columnsOf(place)
}

export function accountsAddress(place: AccountsPlace): string {
  if (place.kind === 'instance') return bases.instance
  return place.kind === 'group'
    ? `/groups/${place.row.full_path}/-/settings/service_accounts`
    : `/${place.row.full_path}/settings/service_accounts`
}

export function framed({ place, user }: InPlace, view: InnerView): View {
  if (place.kind === 'instance') return adminView('service_accounts', view)
  const { level } = place
  if (place.kind === 'group') return groupView({ group: place.row, level, user, tab: 'service-accounts' }, view)
  return projectView({ project: place.row, level, user, tab: 'service-accounts', showsCode: false }, view)
}
