/** Who manages the CI variables of a project or a group: for endpoints and pages. */

import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/places.ts'
import type { Access, SignedIn } from '../../../http/rules.ts'

export function variablesManaged(kind: PlaceKind): Access<PlaceGranted & SignedIn> {
  return unarchivedPlace(usingPlace(['builds'], onProjectOrGroup(kind, 'maintainer')))
}
