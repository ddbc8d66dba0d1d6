/**
 * Selects the fields of a request that apply to an issue or a merge request, by the features of the project. As in the reference, other
 * fields are ignored.
 */
import type { Tx } from '../../../db/database.ts'
import { findLabelsByTitles, findOrCreateLabels, titlesIn } from '../labels/labels.ts'
import { findMilestoneFor } from '../milestones/milestones.ts'
import type { Actor } from './actor.ts'
import { labelIds } from './issuables.queries.ts'
import type { LabelTable } from './kinds.ts'

/** Fields that aren't sent are undefined. */
export interface CommonRequest {
  /** Null means an empty one, which is rejected. */
  title?: string | null | undefined
  description?: string | null | undefined
  assignee_id?: number | null | undefined
  assignee_ids?: Array<number | null> | null | undefined
  milestone_id?: number | null | undefined
  /** Each item may contain several labels, separated by commas. */
  labels?: string[] | null | undefined
  add_labels?: string[] | null | undefined
  remove_labels?: string[] | null | undefined
  discussion_locked?: boolean | null | undefined
}

/** The users to assign, as sent: by either parameter, without values that mean nobody. Undefined if nothing was sent. */
export function requestedAssignees({ assignee_ids, assignee_id }: CommonRequest): number[] | undefined {
  const sent = assignee_ids === undefined && assignee_id !== undefined ? [assignee_id] : assignee_ids
  return sent === undefined ? undefined : usersIn(sent)
}

/** The distinct ids of users in a list; 0 and null mean nobody. */
export function usersIn(sent: Array<number | null> | null): number[] {
  return [...new Set((sent ?? []).filter((id) => id !== null && id > 0) as number[])]
}

/** The milestone after the change; undefined if it doesn't change. */
export async function acceptMilestone(tx: Tx, { project }: Actor, { milestone_id }: CommonRequest): Promise<number | null | undefined> {
  if (milestone_id === undefined) return undefined
  if (milestone_id === null || milestone_id === 0) return null
  return (await findMilestoneFor(tx, project, milestone_id))?.id
}

/**
 * The labels after the change; undefined if they don't change. Missing labels are created.
 * @param id of the issue or merge request; null while it is being created
 */
export async function acceptLabels(
  tx: Tx,
  actor: Actor,
  table: LabelTable,
  id: number | null,
  request: CommonRequest,
): Promise<number[] | undefined> {
  const { labels, add_labels, remove_labels } = request
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return undefined
  const current = id !== null && labels === undefined ? await labelIds(tx, table, id) : []
  const added = await findOrCreateLabels(tx, actor, titlesIn([...(labels ?? []), ...(add_labels ?? [])]))
  const removed = await findLabelsByTitles(tx, actor.project, titlesIn(remove_labels ?? []))
  const after = new Set([...current, ...added.map(({ id }) => id)])
  for (const { id } of removed) after.delete(id)
  return [...after]
}
