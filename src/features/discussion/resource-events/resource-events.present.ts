/** Resource events as JSON. */
import type { App } from '../../../app.ts'
import { distinctIds } from '../../../db/rows.ts'
import type {
  LabelEvent as LabelEventRow,
  MilestoneEvent as MilestoneEventRow,
  StateEvent as StateEventRow,
  User,
} from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { type Issuable, kindOf } from '../../noteable-kinds.ts'
import { presentUserBrief, usersInBrief } from '../../people/users/users.ts'
import { presentLabelBrief, visibleLabels } from '../../planning/labels/labels.ts'
import { presentMilestone, visibleMilestones } from '../../planning/milestones/milestones.ts'
import type { LabelEvent, MilestoneEvent, StateEvent } from './resource-events.schema.ts'

type ChangeEvent = LabelEventRow | MilestoneEventRow | StateEventRow

/** Without labels that the reader can't see: a moved issue has those of its former project. Two statements, regardless of their number. */
export async function presentLabelEvents(
  app: App,
  reader: User,
  noteable: Issuable,
  rows: LabelEventRow[],
): Promise<Presented<typeof LabelEvent>[]> {
  const ids = distinctIds(rows.map(({ label_id }) => label_id))
  const [users, labels] = await Promise.all([actorsOf(app, rows), visibleLabels(app.db, reader, ids)])
  return rows.map(({ id, user_id, created_at, label_id, action }) => {
    const label = labels.get(label_id ?? 0)
    return {
      id,
      user: users(user_id),
      created_at,
      resource_type: kindOf(noteable).type,
      resource_id: noteable.row.id,
      label: label ? presentLabelBrief(label) : null,
      action,
    }
  })
}

/** As `presentLabelEvents`. */
export async function presentMilestoneEvents(
  app: App,
  reader: User,
  noteable: Issuable,
  rows: MilestoneEventRow[],
): Promise<Presented<typeof MilestoneEvent>[]> {
  const ids = distinctIds(rows.map(({ milestone_id }) => milestone_id))
  const [users, found] = await Promise.all([actorsOf(app, rows), visibleMilestones(app.db, reader, ids)])
  const milestones = new Map(found.map((milestone) => [milestone.id, milestone]))
  return rows.map(({ id, user_id, created_at, milestone_id, action }) => {
    const milestone = milestones.get(milestone_id ?? 0)
    return {
      id,
      user: users(user_id),
      created_at,
      resource_type: kindOf(noteable).type,
      resource_id: noteable.row.id,
      milestone: milestone ? presentMilestone(app.config, milestone) : null,
      action,
    }
  })
}

/** One statement, regardless of their number. */
export async function presentStateEvents(
  app: App,
  _reader: User,
  noteable: Issuable,
  rows: StateEventRow[],
): Promise<Presented<typeof StateEvent>[]> {
  const users = await actorsOf(app, rows)
  return rows.map(({ id, user_id, created_at, action }) => ({
    id,
    user: users(user_id),
    created_at,
    resource_type: kindOf(noteable).type,
    resource_id: noteable.row.id,
    state: action,
  }))
}

async function actorsOf({ db, config }: App, rows: ChangeEvent[]) {
  const users = await usersInBrief(db, distinctIds(rows.map(({ user_id }) => user_id)))
  return (id: number | null) => {
    const user = users.get(id ?? 0)
    return user ? presentUserBrief(config, user) : null
  }
}
