/** Where webhooks belong: a project, a group or the instance; who manages them, and the frame of their pages. */
import type { Hook } from '../../../db/tables.ts'
import { findHook, type HookPlace, hookPlaceOf, ofInstance } from '../../../features/integrations/hooks/hooks.ts'
import { managers, onProjectOrGroup, type Place } from '../../../http/declare/places.ts'
import type { Access, SignedIn } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { groupView } from '../../group/group-view.ts'
import { administration, adminView } from '../../instance/admin/admin-view.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'
import { projectView } from '../../project/project-view.ts'

export type HooksPlace = Place | { kind: 'instance' }
export type HooksGranted = SignedIn & { place: HooksPlace }
export type HooksSeen = Visit & HooksGranted

export const bases = { project: '/:project/hooks', group: '/groups/:group/-/hooks', instance: '/admin/hooks' } as const

export function hooksAddress(place: HooksPlace): string {
  if (place.kind === 'project') return `/${place.row.full_path}/hooks`
  return place.kind === 'group' ? `/groups/${place.row.full_path}/-/hooks` : bases.instance
}

export function hookPlace(place: HooksPlace): HookPlace {
  return place.kind === 'instance' ? ofInstance : hookPlaceOf(place)
}

export function hookManagers(kind: HooksPlace['kind']): Access<HooksGranted> {
  if (kind !== 'instance') return onProjectOrGroup(kind, managers)
  const rule = administration()
  return {
    ...rule,
    async grant(request) {
      const { user } = await rule.grant(request)
      return { user, place: { kind: 'instance' } }
    },
  }
}

export const hookInPath = nested(
  { hook_id: Id },
  async ({ place }: HooksGranted, { hook_id }, app): Promise<{ hook: Hook }> => ({
    hook: await findHook(app.db, hookPlace(place), hook_id),
  }),
)

export function framed({ place, user }: HooksGranted, view: InnerView): View {
  if (place.kind === 'instance') return adminView('hooks', view)
  const { level } = place
  if (place.kind === 'group') return groupView({ group: place.row, level, user, tab: 'hooks' }, view)
  return projectView({ project: place.row, level, user, tab: 'hooks', showsCode: false }, view)
}
