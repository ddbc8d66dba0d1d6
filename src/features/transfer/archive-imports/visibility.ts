/** The visibility of an imported project or group. */
import { visibilities } from '../../../access/levels.ts'
import type { Namespace, Visibility } from '../../../db/tables.ts'
import { isMoreOpen } from '../../../validation.ts'
import type { Settings } from '../../instance/settings/settings.ts'

/**
 * The widest visibility that exceeds neither the wanted one nor that of the group, and is not restricted to administrators: an archive
 * chooses nothing in anybody's name. Null if all are restricted.
 */
export function maxVisibilityBelow(
  wanted: Visibility,
  { restricted_visibility_levels: kept }: Settings,
  place: Pick<Namespace, 'kind' | 'visibility'> | null,
): Visibility | null {
  const allowed = visibilities.filter(
    (one) => !isMoreOpen(one, wanted) && !kept.includes(one) && !(place?.kind === 'group' && isMoreOpen(one, place.visibility)),
  )
  return allowed.at(-1) ?? null
}

export function minVisibility(one: Visibility, other: Visibility): Visibility {
  return isMoreOpen(one, other) ? other : one
}
