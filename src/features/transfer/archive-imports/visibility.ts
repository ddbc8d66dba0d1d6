/** How open an imported project may be. */
import { visibilities } from '../../../access/levels.ts'
import type { Namespace, Visibility } from '../../../db/tables.ts'
import { isMoreOpen } from '../../../validation.ts'
import type { Settings } from '../../instance/settings/settings.ts'

/**
 * The most open visibility that is no more open than wanted or than the group, and not kept for administrators: an archive
 * chooses nothing in anybody's name. Null if all of them are kept.
 */
export function maxVisibilityBelow(
  wanted: Visibility,
  { restricted_visibility_levels: kept }: Settings,
  place: Namespace,
): Visibility | null {
  const allowed = visibilities.filter(
    (one) => !isMoreOpen(one, wanted) && !kept.includes(one) && !(place.kind === 'group' && isMoreOpen(one, place.visibility)),
  )
  return allowed.at(-1) ?? null
}

export function minVisibility(one: Visibility, other: Visibility): Visibility {
  return isMoreOpen(one, other) ? other : one
}
