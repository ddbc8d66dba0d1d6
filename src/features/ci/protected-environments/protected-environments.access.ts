/** Access to the protected environments of projects and groups, for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import { protectionById, protectionNamed, protectionPlace } from './protected-environments.queries.ts'

const byName = nested(
  { protected_environment: nameInPath('Name of the environment; for groups, a tier') },
  async ({ place }: PlaceGranted, { protected_environment }, app) => {
    const protection = await protectionNamed(app.db, protectionPlace(place), protected_environment)
    if (!protection) throw notFound()
    return { protection }
  },
)

const byId = nested({ protected_environment_id: Id }, async ({ place }: PlaceGranted, { protected_environment_id }, app) => {
  const protection = await protectionById(app.db, protectionPlace(place), protected_environment_id)
  if (!protection) throw notFound()
  return { protection }
})

export const protectionsSeen = (kind: PlaceKind) => usingPlace(['builds'], onProjectOrGroup(kind, 'manage_deployments'))
export const protectionsManaged = (kind: PlaceKind) => unarchivedPlace(protectionsSeen(kind))
export const protectionSeen = (kind: PlaceKind) => within(protectionsSeen(kind), byName)
export const protectionManaged = (kind: PlaceKind) => within(protectionsManaged(kind), byName)
export const protectionInPath = (kind: PlaceKind) => within(protectionsManaged(kind), byId)
