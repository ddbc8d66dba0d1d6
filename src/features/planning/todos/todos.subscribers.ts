/** Todos follow from what happens to issues: some acts cause one, and whoever acts has done theirs. */
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { addTodosIn, awardedOn, completeTodosIn } from './todos.queries.ts'

export async function assignAtCreation(tx: Tx, { issue, assignee_ids, actor_id, at }: EventOf<'issue_created'>): Promise<void> {
  await addAssigned(tx, issue, assignee_ids, actor_id, at)
}

/** Due dates, estimates and places on boards are no answer to a todo. */
export async function completeByChange(tx: Tx, event: EventOf<'issue_changed'>): Promise<void> {
  const { before, issue, assignees, labels, actor_id, at } = event
  const hasAnswered =
    before.title !== issue.title ||
    before.description !== issue.description ||
    before.milestone_id !== issue.milestone_id ||
    [assignees, labels].some(({ added, removed }) => added.length + removed.length > 0)
  if (hasAnswered) await completeTodosIn(tx, actor_id, { issue_id: issue.id }, at)
}

/** After `completeByChange`: who assigns an issue to themselves has it to do. */
export async function assignNew(tx: Tx, { issue, assignees, actor_id, at }: EventOf<'issue_changed'>): Promise<void> {
  await addAssigned(tx, issue, assignees.added, actor_id, at)
}

export async function completeByClosing(tx: Tx, { issue, actor_id, at }: EventOf<'issue_closed'>): Promise<void> {
  await completeTodosIn(tx, actor_id, { issue_id: issue.id }, at)
}

export async function completeByNote(tx: Tx, { note, actor_id, at }: EventOf<'note_created' | 'note_changed'>): Promise<void> {
  if (note.issue_id !== null) await completeTodosIn(tx, actor_id, { issue_id: note.issue_id }, at)
}

export async function completeByAward(tx: Tx, { award, at }: EventOf<'emoji_awarded'>): Promise<void> {
  const target = await awardedOn(tx, award)
  if (target) await completeTodosIn(tx, award.user_id, target, at)
}

async function addAssigned(tx: Tx, issue: Issue, userIds: number[], author_id: number, at: string): Promise<void> {
  await addTodosIn(tx, userIds, { target: { issue_id: issue.id }, project_id: issue.project_id, author_id, action: 'assigned', at })
}
