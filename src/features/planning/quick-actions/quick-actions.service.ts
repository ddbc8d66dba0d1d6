/** Runs the quick actions of a text on the issue that it describes or discusses. */
import { findProject } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { toggleAwardIn } from '../award-emoji/award-emoji.ts'
import { moveIssueIn } from '../issue-moves/issue-moves.ts'
import { type Actor, assigneeIds, changeIssueIn, labelIds, lockIssue } from '../issues/issues.ts'
import { chooseSubscription } from '../participation/participation.ts'
import { addTodoIn, completeTodosIn } from '../todos/todos.ts'
import type { QuickActions, Situation } from './actions.ts'
import { labelActions } from './label.actions.ts'
import { plainActions } from './plain.actions.ts'
import { relationActions } from './relation.actions.ts'
import type { Command } from './split.ts'
import { issueChangeOf, type Updates } from './updates.ts'

const actions: QuickActions = { ...plainActions, ...labelActions, ...relationActions }

export interface Interpreted {
  /** What is to change: clients read it as `commands_changes`. */
  updates: Updates
  /** What was done, a sentence for each action. */
  summary: string[]
  /** What could not be done, or not by them: a sentence for each action. */
  refusals: string[]
}

/** What the quick actions of a text ask for, and the actor may. `issue` is null while it is being created. Changes nothing. */
export async function interpretQuickActions(
  tx: Tx,
  config: Config,
  actor: Actor,
  issue: Issue | null,
  commands: Command[],
): Promise<Interpreted> {
  const [assignees, labels] = issue && commands.length > 0 ? await currentOf(tx, issue) : [[], []]
  const at: Situation = { tx, config, actor, issue, assignees, labels, updates: {} }
  const [summary, refusals]: [string[], string[]] = [[], []]
  for (const { name, argument } of commands) {
    const done = (await actions[name]?.(at, argument)) ?? null
    if (done === null) refusals.push(`Could not apply ${name} command.`)
    else summary.push(done)
  }
  return { updates: at.updates, summary, refusals }
}

async function currentOf(tx: Tx, { id }: Issue): Promise<[number[], number[]]> {
  return [await assigneeIds(tx, id), await labelIds(tx, id)]
}

/**
 * Runs the quick actions of a text (`splitQuickActions`) on an issue, with what follows from them: those the actor may, in one
 * change. Throws 400 where that would break a rule of issues.
 */
export async function runQuickActions(tx: Tx, config: Config, actor: Actor, issue: Issue, commands: Command[]): Promise<Interpreted> {
  const interpreted = await interpretQuickActions(tx, config, actor, issue, commands)
  await applyUpdates(tx, config, actor, issue, interpreted.updates)
  return interpreted
}

/** Makes what quick actions ask for. Returns the issue, or its copy where it was moved. */
export async function applyUpdates(tx: Tx, config: Config, actor: Actor, issue: Issue, updates: Updates): Promise<Issue> {
  if (Object.keys(updates).length === 0) return issue
  // Labels are added to those it has: another change must not come between.
  if (!(await lockIssue(tx, issue.id))) throw notFound('Issue')
  const changed = await changeIssueIn(tx, actor, issue.id, issueChangeOf(updates, await labelIds(tx, issue.id)))
  // After the change, which completes what the actor has to do there.
  await relate(tx, actor, changed, updates)
  const { target_project_id } = updates
  if (target_project_id === undefined) return changed
  return moveIssueIn(tx, config, actor, changed, await findProject(tx, String(target_project_id), actor.user))
}

async function relate(tx: Tx, { user, project }: Actor, issue: Issue, updates: Updates): Promise<void> {
  const { todo_event, subscription_event, emoji_award } = updates
  const target = { issue_id: issue.id }
  if (emoji_award) await toggleAwardIn(tx, user, { noteable: { kind: 'issue', row: issue }, note: null }, emoji_award)
  if (subscription_event) await chooseSubscription(tx, user.id, target, subscription_event === 'subscribe')
  if (todo_event === 'done') await completeTodosIn(tx, user.id, target)
  if (todo_event === 'add') await addTodoIn(tx, user.id, { target, project_id: project.id, author_id: user.id, action: 'marked' })
}
