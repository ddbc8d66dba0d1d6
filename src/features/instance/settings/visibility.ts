/** Visibility levels that only administrators may use. */
import type { User, Visibility } from '../../../db/tables.ts'
import type { Settings } from './settings.service.ts'

/** The error for a visibility that a user chose; null if it is allowed. */
export function restrictedVisibilityError(
  { restricted_visibility_levels }: Settings,
  user: Pick<User, 'admin'>,
  chosen: Visibility | undefined,
): string | null {
  if (chosen === undefined || user.admin || !restricted_visibility_levels.includes(chosen)) return null
  return `${chosen} has been restricted by your administrator`
}
