/** Common parts of creating and changing issues and merge requests: labels, assignees, spent time, editor. */
import type { Tx } from '../../../db/database.ts'
import type { Instant, IssuableName, NoteableRow } from '../../../db/tables.ts'
import type { Difference, TimeSpent } from '../../../domain-events/issue-events.ts'
import type { Actor } from './actor.ts'
import { differenceOf, hasChanged, unchanged } from './differences.ts'
import { addAssignees, addLabels, labelIds, peopleIds, removeLabels, removePeople } from './issuables.queries.ts'
import { issuableTables } from './kinds.ts'
import { logTime } from './time-tracking.service.ts'

/** Fields that aren't given are kept. */
export interface CommonChange {
  assignee_ids?: number[] | undefined
  label_ids?: number[] | undefined
  state?: 'opened' | 'closed' | undefined
  /** Time to log. */
  time?: TimeSpent | undefined
}

interface Differences {
  assignees: Difference
  labels: Difference
  /** The logged time; null if nothing was logged. */
  time: TimeSpent | null
  total_time_spent: number
}

/** Adds people and labels to a row that was just created. */
export async function addCommon(
  tx: Tx,
  kind: IssuableName,
  id: number,
  { assignee_ids, label_ids }: Required<Pick<CommonChange, 'assignee_ids' | 'label_ids'>>,
): Promise<void> {
  await addAssignees(tx, issuableTables[kind].assignees, id, assignee_ids ?? [])
  await addLabels(tx, issuableTables[kind].labels, id, label_ids ?? [])
}

/** The difference between the change and the current state. Also logs the time. */
export async function commonDifferences(
  tx: Tx,
  actor: Actor,
  { kind, row }: NoteableRow<IssuableName>,
  { assignee_ids, label_ids, time }: CommonChange,
  at: Instant,
): Promise<Differences> {
  const tables = issuableTables[kind]
  const assignees = assignee_ids ? differenceOf(await peopleIds(tx, tables.assignees, row.id), assignee_ids) : unchanged
  const labels = label_ids ? differenceOf(await labelIds(tx, tables.labels, row.id), label_ids) : unchanged
  const before = row.total_time_spent
  const total_time_spent = time ? await logTime(tx, actor.user.id, { kind, id: row.id }, before, time, at) : before
  return { assignees, labels, time: total_time_spent !== before && time ? time : null, total_time_spent }
}

export function hasDifferences({ assignees, labels, time }: Differences): boolean {
  return hasChanged(assignees) || hasChanged(labels) || time !== null
}

export async function writeDifferences(tx: Tx, kind: IssuableName, id: number, { assignees, labels }: Differences): Promise<void> {
  const tables = issuableTables[kind]
  await addAssignees(tx, tables.assignees, id, assignees.added)
  await removePeople(tx, tables.assignees, id, assignees.removed)
  await addLabels(tx, tables.labels, id, labels.added)
  await removeLabels(tx, tables.labels, id, labels.removed)
}

/** The columns for the last editor of its texts, if these changed. */
export function editedBy(actor: Actor, fields: { title?: unknown; description?: unknown }, at: Instant) {
  return 'title' in fields || 'description' in fields ? { last_edited_at: at, last_edited_by_id: actor.user.id } : {}
}
