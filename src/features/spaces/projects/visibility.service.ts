/**
 * The visibility of projects: limited by that of the group, by that of the source of a fork, and by the levels that the instance allows.
 */
import type { Tx } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isMoreOpen, moreOpenThan, visibilityError } from '../../../validation.ts'
import { restrictedVisibilityError, type Settings } from '../../instance/settings/settings.ts'
import { lockWithForks } from './forks.queries.ts'
import type { Place } from './placement.service.ts'
import { narrowAll, narrowForksOf } from './projects.queries.ts'

/** Without a choice: the default of the instance, limited by the visibility of the group. */
export function defaultVisibility({ default_project_visibility }: Settings, place: Place): Visibility {
  const narrowed = place.kind === 'group' && isMoreOpen(default_project_visibility, place.visibility)
  return narrowed ? place.visibility : default_project_visibility
}

/** The error for a visibility that a user chose; null if it is allowed. */
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
 * Limits the visibility of the forks of a project, and of their forks. It repeats until none is left, as the forks of a fork may have
 * become more visible while this waited for its lock.
 */
export async function narrowForks(tx: Tx, id: number, visibility: Visibility): Promise<void> {
  const wider = moreOpenThan(visibility)
  while (wider.length > 0) {
    const fork_ids = await narrowForksOf(tx, id, wider, visibility)
    if (fork_ids.length === 0) return
    await publish(tx, { type: 'forks_narrowed', source_id: id, fork_ids, visibility })
  }
}

/** Part of a transaction: limits the visibility of these projects to `visibility`, and that of their forks with them. */
export async function narrowProjects(tx: Tx, ids: number[], visibility: Visibility): Promise<void> {
  const wider = moreOpenThan(visibility)
  if (ids.length === 0 || wider.length === 0) return
  await lockWithForks(tx, ids)
  for (const { id, before } of await narrowAll(tx, ids, wider, visibility)) {
    await publish(tx, { type: 'project_visibility_changed', project_id: id, before, after: visibility })
  }
}
