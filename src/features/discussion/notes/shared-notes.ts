/** System notes that issues and merge requests have in common. */
import type { Tx } from '../../../db/database.ts'
import type { Instant, IssuableName, Issue, MergeRequest } from '../../../db/tables.ts'
import type { Difference, TimeSpent } from '../../../domain-events/issue-events.ts'
import { noteableOfEvent } from '../../noteable-kinds.ts'
import { usersInBrief } from '../../people/users/users.ts'
import { milestonesByIds } from '../../planning/milestones/milestones.ts'
import type { NewSystemNote } from './system-notes.service.ts'
import { assigneesText, descriptionTexts, estimateText, lockText, milestoneText, type SystemText, timeSpentText } from './system-notes.ts'

type Act = ({ issue: Issue } | { merge_request: MergeRequest }) & { actor_id: number; at: Instant }

export function written(act: Act, texts: SystemText[]): NewSystemNote[] {
  const noteable = noteableOfEvent(act)
  return texts.map((text) => ({ ...text, noteable, author_id: act.actor_id, at: act.at }))
}

type Common = Pick<Issue & MergeRequest, 'description' | 'time_estimate' | 'discussion_locked' | 'milestone_id'>

/** For description, times, lock and milestone. */
export async function commonTexts(
  tx: Tx,
  kind: IssuableName,
  before: Common,
  after: Common,
  time: TimeSpent | null | undefined,
): Promise<SystemText[]> {
  const texts: SystemText[] = []
  if ((after.description ?? '') !== (before.description ?? '')) texts.push(...descriptionTexts(before.description, after.description))
  if (after.time_estimate !== before.time_estimate) texts.push(estimateText(after.time_estimate))
  if (time) texts.push(timeSpentText(time.seconds, time.spent_at))
  const isLocked = after.discussion_locked ?? false
  if (isLocked !== (before.discussion_locked ?? false)) texts.push(lockText(kind, isLocked))
  if (after.milestone_id !== before.milestone_id) texts.push(await milestoneChange(tx, after.milestone_id))
  return texts
}

async function milestoneChange(tx: Tx, id: number | null): Promise<SystemText> {
  const [milestone] = await milestonesByIds(tx, id === null ? [] : [id])
  return milestoneText(milestone ?? null)
}

export async function assigneesChange(tx: Tx, change: Difference): Promise<SystemText> {
  const [added, removed] = await namesOf(tx, change)
  return assigneesText(added, removed)
}

/** The names of the added and removed users. */
export async function namesOf(tx: Tx, { added, removed }: Difference): Promise<[string[], string[]]> {
  const users = await usersInBrief(tx, [...added, ...removed])
  const names = (ids: number[]) => ids.flatMap((id) => users.get(id)?.username ?? [])
  return [names(added), names(removed)]
}
