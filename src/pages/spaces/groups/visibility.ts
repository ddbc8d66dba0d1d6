/** The visibility of a group, as a choice in forms. */

import { visibilities } from '../../../access/levels.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { restrictedVisibilityError, type Settings } from '../../../features/instance/settings/settings.ts'
import { isMoreOpen } from '../../../validation.ts'
import type { Typed } from '../../frame/declaration.ts'
import { visibilityNames } from '../../frame/levels.ts'
import { visibilityHints } from './sentences.ts'

/** The levels that the user may choose, always including `current`, and the default. */
export function visibilityChoices(settings: Settings, user: User, parent: Visibility | null, current: Visibility | null = null) {
  const allowed = visibilities.filter(
    (one) => one === current || ((parent === null || !isMoreOpen(one, parent)) && restrictedVisibilityError(settings, user, one) === null),
  )
  const wanted = current ?? settings.default_group_visibility
  const choices = allowed.map((one) => [one, visibilityNames[one], visibilityHints[one]] as const)
  return { choices, usual: allowed.includes(wanted) ? wanted : allowed.at(-1) }
}

/** The errors under the field names of the form. */
export function byField(typed: Typed): Typed {
  const { visibility_level, ...of } = typed.errors.of
  return visibility_level === undefined ? typed : { ...typed, errors: { ...typed.errors, of: { ...of, visibility: visibility_level } } }
}
