/** Promotion: a project milestone becomes a group milestone, and replaces those with its title in all projects of the group. */
import { levelInGroup } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, oneAtATime } from '../../../db/database.ts'
import type { Milestone, User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import type { Place, PlaceGranted } from '../../../http/declare/places.ts'
import { type Condition, only, type SignedIn } from '../../../http/declare/rules.ts'
import { milestoneToChange } from './milestones.access.ts'
import type { PlacedMilestone } from './milestones.present.ts'
import { deleteMilestone, mergeMilestonesInto, milestonesTitledBelow } from './milestones.queries.ts'
import { insertAt } from './milestones.service.ts'

/** Developers of the group, which gets the milestone. */
export const developersOfGroup: Condition<PlaceGranted & SignedIn> = {
  description: 'developers of the group',
  holds: async ({ user, place }, { app }) =>
    place.kind === 'group' ||
    place.row.namespace_kind === 'user' ||
    may('manage_milestones', await levelInGroup(app.db, place.row.namespace_id, user)),
}

export const promoting = only(milestoneToChange('project'), developersOfGroup)

/**
 * The group milestone. Issues and records of their changes are moved to it. Throws 400 if the project isn't in a group, or the group
 * already has a milestone with this title.
 */
export async function promoteMilestone(app: App, user: User, place: Place, milestone: Milestone): Promise<PlacedMilestone> {
  if (place.kind === 'group' || place.row.namespace_kind !== 'group') throw invalid('Project does not belong to a group.')
  const { namespace_id, namespace_full_path } = place.row
  const promoted = await inTransaction(app.db, async (tx) => {
    await oneAtATime(tx, `milestones ${namespace_id}`)
    const merged = await milestonesTitledBelow(tx, namespace_id, milestone.title)
    if (!merged.includes(milestone.id)) throw notFound('Milestone')
    const { title, description, start_date, due_date, state, closed_at } = milestone
    const values = { title, description, start_date, due_date, state, closed_at }
    const created = await insertAt(tx, user, { namespace_id }, values).catch((error) => {
      throw isUniqueViolation(error, 'title') ? invalid({ title: ['has already been taken'] }, error) : error
    })
    await mergeMilestonesInto(tx, created.id, merged)
    for (const id of merged) await deleteMilestone(tx, id)
    return created
  })
  return { ...promoted, place_path: namespace_full_path }
}
