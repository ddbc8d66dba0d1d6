/** Reactions of labels to events of other features. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { insertLabel, labelsWithTitles } from './labels.queries.ts'
import { labelsLeftBehind, replaceLabelIn } from './transfer.queries.ts'

/** A project that leaves its group keeps the group's labels that it uses: as those of its new place, or as its own. */
export async function carryLabels(tx: Tx, { project_id, to_namespace_id }: EventOf<'project_transferred'>): Promise<void> {
  const place = { project_id, below: to_namespace_id }
  const left = await labelsLeftBehind(tx, project_id, to_namespace_id)
  const known = await labelsWithTitles(
    tx,
    place,
    left.map(({ title }) => title),
  )
  for (const { id, title, color, description } of left) {
    const target = known.get(title) ?? (await insertLabel(tx, place, { title, color, description }))
    known.set(title, target)
    await replaceLabelIn(tx, project_id, id, target.id)
  }
}
