/** The places of integrations: a project, or the instance for templates. Finds the one that the URL names, and frames its pages. */
import type { App } from '../../../app.ts'
import type { Hook, Integration } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { deliveryOf, hookOfIntegration } from '../../../features/integrations/deliveries/deliveries.ts'
import { type Kind, kindOf } from '../../../features/integrations/kinds/kinds.ts'
import { integrationAt } from '../../../features/integrations/services/services.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import type { View } from '../../frame/declaration.ts'
import { adminView } from '../../instance/admin/admin-view.ts'
import type { SettingsGranted, SettingsPlace } from '../../instance/admin/settings-places.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'
import { projectView } from '../../project/project-view.ts'

export const bases = { project: '/:project/settings/integrations', instance: '/admin/integrations' } as const

export function integrationsAddress(place: SettingsPlace): string {
  return place.kind === 'project' ? `/${place.row.full_path}/settings/integrations` : bases.instance
}

/** Null for templates. */
export function projectOf(place: SettingsPlace): number | null {
  return place.kind === 'project' ? place.row.id : null
}

/** Cluster integrations are deprecated: they are only shown while they are active. */
export function isOffered(kind: Kind, row: Integration | null): boolean {
  return kind.slug !== 'kubernetes' || row?.active === true
}

export const kindInPath = nested(
  { slug: nameInPath('Kind of the integration') },
  async ({ place }: SettingsGranted, { slug }, app: App): Promise<{ kind: Kind; row: Integration | null }> => {
    const kind = kindOf(slug)
    const row = kind && (await integrationAt(app.db, projectOf(place), kind.slug))
    if (!kind || !isOffered(kind, row)) throw notFound('Service')
    return { kind, row }
  },
)

/** A delivery in the log. */
export const deliveryInPath = nested({ event_id: Id }, async ({ row }: { row: Integration | null }, { event_id }, app: App) => {
  const hook = row && (await hookOfIntegration(app.db, row.id))
  const delivery = hook && (await deliveryOf(app.db, hook.id, event_id))
  if (!hook || !delivery) throw notFound('Hook Event')
  return { hook: hook as Hook, delivery }
})

export function framed({ place, user }: SettingsGranted, view: InnerView): View {
  if (place.kind !== 'project') return adminView('integrations', view)
  return projectView({ project: place.row, level: place.level, user, tab: 'integrations', showsCode: false }, view)
}
