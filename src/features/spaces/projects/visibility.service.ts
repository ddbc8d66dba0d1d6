/** How open a project may be: no more than its group, than what it is a fork of, and than the instance lets its users choose. */
import type { Tx } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isMoreOpen, moreOpenThan, visibilityError } from '../../../validation.ts'
import { restrictedVisibilityError, type Settings } from '../../instance/settings/settings.ts'
import { lockWithForks } from './forks.queries.ts'
import type { Place } from './placement.service.ts'
import { narrowAll, narrowForksOf } from './projects.queries.ts'

/** Visibility that nobody chose: the default of the instance, or as open as the group where that is less. */
export function defaultVisibility({ default_project_visibility }: Settings, place: Place): Visibility {
  const narrowed = place.kind === 'group' && isMoreOpen(default_project_visibility, place.visibility)
  return narrowed ? place.visibility : default_project_visibility
}

/** The error for a visibility that a user chose; null where it is allowed. */
export function visibilityChangeError(
  chosen: Visibility,
  { settings, user, place, source }: { settings: Settings; user: User; place: Place; source: { visibility: Visibility } | null },
): string | null {
  const restricted = restrictedVisibilityError(settings, user, chosen)
  if (restricted !== null) return restricted
  const above = place.kind === 'group' ? visibilityError(chosen, place.visibility) : null
  if (above !== null) return above
  const tooOpen = source !== null && isMoreOpen(chosen, source.visibility)
  return tooOpen ? `${chosen} is not allowed since the fork source project has lower visibility.` : null
}

/**
 * Forks, and theirs, become as open as what they were made of where they were more so: until none is left, as a fork of one that
 * was waited for may have been opened meanwhile.
 */
export async function narrowForks(tx: Tx, id: number, visibility: Visibility): Promise<void> {
  const wider = moreOpenThan(visibility)
  while (wider.length > 0) {
    const fork_ids = await narrowForksOf(tx, id, wider, visibility)
    if (fork_ids.length === 0) return
    await publish(tx, { type: 'forks_narrowed', source_id: id, fork_ids, visibility })
  }
}

/** Part of a transaction: these projects become as open as `visibility` where they are more so, and their forks with them. */
export async function narrowProjects(tx: Tx, ids: number[], visibility: Visibility): Promise<void> {
  const wider = moreOpenThan(visibility)
  if (ids.length === 0 || wider.length === 0) return
  await lockWithForks(tx, ids)
  for (const { id, before } of await narrowAll(tx, ids, wider, visibility)) {
    await publish(tx, { type: 'project_visibility_changed', project_id: id, before, after: visibility })
  }
}
