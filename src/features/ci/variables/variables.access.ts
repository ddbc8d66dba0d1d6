/** Access to the CI variables of a project or a group, for endpoints and pages. */
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import type { Access, SignedIn } from '../../../http/declare/rules.ts'

export function variablesManaged(kind: PlaceKind): Access<PlaceGranted & SignedIn> {
  return unarchivedPlace(usingPlace(['builds'], onProjectOrGroup(kind, 'manage_variables')))
}
