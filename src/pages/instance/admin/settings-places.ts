/** Places with settings of their own: a project, a group, or the instance. The access rule of the latter, and the frame of their pages. */
import type { Place } from '../../../http/declare/places.ts'
import type { Access, SignedIn } from '../../../http/declare/rules.ts'
import type { View } from '../../frame/declaration.ts'
import { type GroupTab, groupView } from '../../group/group-view.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'
import { type ProjectTab, projectView } from '../../project/project-view.ts'
import { type AdminTab, administration, adminView } from './admin-view.ts'

export type SettingsPlace = Place | { kind: 'instance' }
export type SettingsGranted = SignedIn & { place: SettingsPlace }

/** Grants the instance to administrators, as `onProjectOrGroup` grants a project or group. */
export function onInstance(): Access<SettingsGranted> {
  const rule = administration()
  return {
    ...rule,
    async grant(request) {
      const { user } = await rule.grant(request)
      return { user, place: { kind: 'instance' } }
    },
  }
}

/** A page of such settings: in the administration, or below a tab that projects and groups call alike. */
export function settingsView(
  { place, user }: SettingsGranted,
  tabs: { admin: AdminTab; place: ProjectTab & GroupTab },
  view: InnerView,
): View {
  if (place.kind === 'instance') return adminView(tabs.admin, view)
  const { level } = place
  if (place.kind === 'group') return groupView({ group: place.row, level, user, tab: tabs.place }, view)
  return projectView({ project: place.row, level, user, tab: tabs.place, showsCode: false }, view)
}
