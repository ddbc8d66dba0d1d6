/** The places of webhooks: a project, a group or the instance; with their managers and the frame of their pages. */
import type { Hook } from '../../../db/tables.ts'
import { findHook, type HookPlace, hookPlaceOf, ofInstance } from '../../../features/integrations/hooks/hooks.ts'
import { managers, onProjectOrGroup } from '../../../http/declare/places.ts'
import type { Access } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { onInstance, type SettingsGranted, type SettingsPlace, settingsView } from '../../instance/admin/settings-places.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'

export type HooksSeen = Visit & SettingsGranted

export const bases = { project: '/:project/hooks', group: '/groups/:group/-/hooks', instance: '/admin/hooks' } as const

export function hooksAddress(place: SettingsPlace): string {
  if (place.kind === 'project') return `/${place.row.full_path}/hooks`
  return place.kind === 'group' ? `/groups/${place.row.full_path}/-/hooks` : bases.instance
}

export function hookPlace(place: SettingsPlace): HookPlace {
  return place.kind === 'instance' ? ofInstance : hookPlaceOf(place)
}

export function hookManagers(kind: SettingsPlace['kind']): Access<SettingsGranted> {
  return kind === 'instance' ? onInstance() : onProjectOrGroup(kind, managers)
}

export const hookInPath = nested(
  { hook_id: Id },
  async ({ place }: SettingsGranted, { hook_id }, app): Promise<{ hook: Hook }> => ({
    hook: await findHook(app.db, hookPlace(place), hook_id),
  }),
)

export function framed(granted: SettingsGranted, view: InnerView): View {
  return settingsView(granted, { admin: 'hooks', place: 'hooks' }, view)
}
