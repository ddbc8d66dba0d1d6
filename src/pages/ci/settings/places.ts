/** The places of CI settings: a project, a group, or the instance; with their managers, their URLs, and the frame of their pages. */

import type { LocatedProject } from '../../../access/find.ts'
import type { RegistersFor } from '../../../access/principals.ts'
import { type VariablePlace, variablesManaged } from '../../../features/ci/variables/variables.ts'
import { t } from '../../../html/sentences.ts'
import { columnsOf, managers, manages, onProjectOrGroup, type Place, type PlaceKind, usingPlace } from '../../../http/declare/places.ts'
import { type Access, only, people, type SignedIn } from '../../../http/declare/rules.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { onInstance, type SettingsGranted, type SettingsPlace, settingsView } from '../../instance/admin/settings-places.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'

export type { SettingsGranted, SettingsPlace } from '../../instance/admin/settings-places.ts'
export type SettingsSeen = Visit & SettingsGranted
/** The settings of the instance stand on two pages, the others on one. */
type Section = 'runners' | 'variables' | 'triggers' | 'protected-environments' | 'secure-files'

export function baseOf(kind: SettingsPlace['kind']) {
  if (kind === 'project') return '/:project/settings/ci_cd'
  return kind === 'group' ? '/groups/:group/-/settings/ci_cd' : '/admin'
}

/** `settingsAddress(place)` is the prefix of the URLs of all sections. */
export function settingsAddress(place: SettingsPlace): string {
  if (place.kind === 'project') return `/${place.row.full_path}/settings/ci_cd`
  return place.kind === 'group' ? `/groups/${place.row.full_path}/-/settings/ci_cd` : '/admin'
}

export function sectionAddress(place: SettingsPlace, section: Section): string {
  return place.kind === 'instance' ? `/admin/${section}` : `${settingsAddress(place)}#${section}`
}

/** Users who may open the page of a project or a group; some sections require more. */
export function settingsReaders(kind: PlaceKind): Access<SignedIn & { place: Place }> {
  return usingPlace(['builds'], onProjectOrGroup(kind, 'manage_variables'))
}

export function variableManagers(kind: SettingsPlace['kind']): Access<SettingsGranted> {
  return kind === 'instance' ? onInstance() : variablesManaged(kind)
}

export function runnerManagers(kind: SettingsPlace['kind']): Access<SettingsGranted> {
  return kind === 'instance' ? onInstance() : usingPlace(['builds'], onProjectOrGroup(kind, managers))
}

/** Users who may create runners. */
export function runnerCreators(kind: SettingsPlace['kind']): Access<SettingsGranted> {
  return only(only(runnerManagers(kind), people), {
    description: t`while it is not archived`,
    holds: ({ place }) => place.kind === 'instance' || !place.row.archived,
  })
}

/** Maintainers of a group can see its variables, but only owners can see its runners. */
export function managesRunners(place: SettingsPlace): boolean {
  return place.kind === 'instance' || manages(place)
}

export function variablePlace(place: SettingsPlace): VariablePlace {
  return place.kind === 'instance' ? 'instance' : columnsOf(place)
}

export function runnerPlace(place: SettingsPlace): RegistersFor {
  return place.kind === 'instance' ? { kind: 'instance' } : { kind: place.kind, id: place.row.id }
}

/** Null for groups and the instance. */
export function projectIn(place: SettingsPlace): LocatedProject | null {
  return place.kind === 'project' ? place.row : null
}

export function framed(granted: SettingsGranted, section: 'runners' | 'variables', view: InnerView): View {
  return settingsView(granted, { admin: section, place: 'settings-ci' }, view)
}
