/** Promotion: a project label becomes a group label, and replaces those with its title in all projects of the group. */
import { levelInGroup } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import type { Label } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import type { Place, PlaceGranted } from '../../../http/declare/places.ts'
import type { Condition, SignedIn } from '../../../http/declare/rules.ts'
import { giveLabelToGroup, labelsToMerge, mergeLabelsInto } from './promotion.queries.ts'

/** Reporters of the group, which gets the label. */
export const reportersOfGroup: Condition<PlaceGranted & SignedIn> = {
  description: 'reporters of the group',
  holds: async ({ user, place }, { app }) =>
    place.kind === 'group' ||
    place.row.namespace_kind === 'user' ||
    may('manage_labels', await levelInGroup(app.db, place.row.namespace_id, user)),
}

/**
 * The group label: it keeps the id of the project label, unless the group already has one with this title. Issues, lists of boards,
 * priorities, subscriptions and records of changes are moved to it. Throws 400 if the project isn't in a group, 404 if the label was
 * deleted meanwhile.
 */
export async function promoteLabel(app: App, place: Place, label: Label): Promise<Label> {
  if (place.kind === 'group' || place.row.namespace_kind !== 'group') throw invalid('Failed to promote project label to group label')
  const { namespace_id } = place.row
  return inTransaction(app.db, async (tx) => {
    await oneAtATime(tx, `labels ${namespace_id}`)
    const same = await labelsToMerge(tx, namespace_id, label.title)
    const target = same.find((one) => one.namespace_id === namespace_id) ?? same.find(({ id }) => id === label.id)
    if (!target || !same.some(({ id }) => id === label.id)) throw notFound('Label')
    const others = same.filter(({ id }) => id !== target.id).map(({ id }) => id)
    if (others.length > 0) await mergeLabelsInto(tx, target.id, others)
    return target.namespace_id === namespace_id ? target : giveLabelToGroup(tx, target.id, namespace_id)
  })
}
