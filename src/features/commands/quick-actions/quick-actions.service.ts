/** Runs the quick actions of a text on its issue or merge request. */
import { findProject } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { IssuableName, Issue, MergeRequest, NoteableRow } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { toggleAwardIn } from '../../discussion/award-emoji/award-emoji.ts'
import { addTodoIn, completeTodosIn } from '../../discussion/todos/todos.ts'
import { keyOf } from '../../noteable-kinds.ts'
import { type Actor, chooseSubscription, issuableTables, labelIds, peopleIds } from '../../planning/issuables/issuables.ts'
import { changeIssueIn, lockIssue } from '../../planning/issues/issues.ts'
import { approveIn, unapproveIn } from '../../review/approvals/approvals.ts'
import { changeMergeRequestIn, lockMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { moveIssueIn } from '../issue-moves/issue-moves.ts'
import type { QuickActions, Situation, Subject } from './actions.ts'
import { labelActions } from './label.actions.ts'
import { mergeRequestActions } from './merge-request.actions.ts'
import { plainActions } from './plain.actions.ts'
import { relationActions } from './relation.actions.ts'
import type { Command } from './split.ts'
import { type Known, nothingKnown, subjectKindOf } from './subjects.ts'
import { issueChangeOf, mergeRequestChangeOf, type Updates } from './updates.ts'

const actions: QuickActions = { ...plainActions, ...labelActions, ...relationActions, ...mergeRequestActions }

export interface Interpreted {
  /** The requested changes, which clients read as `commands_changes`. */
  updates: Updates
  /** A sentence for each action that was done. */
  summary: string[]
  /** A sentence for each action that was impossible or not allowed. */
  refusals: string[]
}

/**
 * Interprets the quick actions of a text that the actor may use. The row is null while the subject is being created. Changes nothing.
 * `known` comes from `knownFor`; without it, actions that depend on git are impossible.
 */
export async function interpretQuickActions(
  tx: Tx,
  config: Config,
  actor: Actor,
  on: Subject,
  commands: Command[],
  known: Known = nothingKnown,
): Promise<Interpreted> {
  const at: Situation = { tx, config, actor, on, known, ...(await currentOf(tx, on, commands)), updates: {} }
  const [summary, refusals]: [string[], string[]] = [[], []]
  for (const { name, argument } of commands) {
    const done = Object.hasOwn(actions, name) ? ((await actions[name]?.(at, argument)) ?? null) : null
    if (done === null) refusals.push(`Could not apply ${name} command.`)
    else summary.push(done)
  }
  return { updates: at.updates, summary, refusals }
}

async function currentOf(tx: Tx, { kind, row }: Subject, commands: Command[]) {
  if (row === null || commands.length === 0) return { assignees: [], reviewers: [], labels: [], approvers: [] }
  const { assignees, labels } = issuableTables[kind]
  const { tables } = subjectKindOf({ kind })
  return {
    assignees: await peopleIds(tx, assignees, row.id),
    reviewers: tables ? await peopleIds(tx, tables.reviewers, row.id) : [],
    labels: await labelIds(tx, labels, row.id),
    approvers: tables ? await peopleIds(tx, tables.approvers, row.id) : [],
  }
}

/**
 * Runs the quick actions of a text (`splitQuickActions`) that the actor may use, in one change, with everything that follows from it.
 * Throws 400 if that would break a rule.
 */
export async function runQuickActions(
  tx: Tx,
  config: Config,
  actor: Actor,
  on: NoteableRow<IssuableName>,
  commands: Command[],
): Promise<Interpreted> {
  const interpreted = await interpretQuickActions(tx, config, actor, on, commands)
  await applyUpdates(tx, config, actor, on, interpreted.updates)
  return interpreted
}

/** Applies the requested changes. Returns the row, or that of the copy of a moved issue. */
export async function applyUpdates<N extends NoteableRow<IssuableName>>(
  tx: Tx,
  config: Config,
  actor: Actor,
  on: N,
  updates: Updates,
): Promise<N['row']> {
  if (Object.keys(updates).length === 0) return on.row
  return on.kind === 'issue' ? updateIssue(tx, config, actor, on.row, updates) : updateMergeRequest(tx, actor, on.row, updates)
}

async function updateIssue(tx: Tx, config: Config, actor: Actor, issue: Issue, updates: Updates): Promise<Issue> {
  // Labels may be added to the present ones, so no other change may come in between.
  if (!(await lockIssue(tx, issue.id))) throw notFound('Issue')
  const changed = await changeIssueIn(tx, actor, issue.id, issueChangeOf(updates, await labelIds(tx, 'issue_labels', issue.id)))
  // After the change, since that completes the actor's todos there.
  await relate(tx, actor, { kind: 'issue', row: changed }, updates)
  const { target_project_id } = updates
  if (target_project_id === undefined) return changed
  return moveIssueIn(tx, config, actor, changed, await findProject(tx, String(target_project_id), actor.user))
}

async function updateMergeRequest(tx: Tx, actor: Actor, { id }: MergeRequest, updates: Updates): Promise<MergeRequest> {
  const row = await lockMergeRequest(tx, id)
  if (!row) throw notFound('Merge Request')
  const change = mergeRequestChangeOf(updates, await labelIds(tx, 'merge_request_labels', id), row.title)
  const changed = await changeMergeRequestIn(tx, actor, id, change)
  await relate(tx, actor, { kind: 'merge_request', row: changed }, updates)
  if (updates.approval_event === 'approve') await approveIn(tx, actor.user, actor, id)
  if (updates.approval_event === 'unapprove') await unapproveIn(tx, actor.user, id)
  return changed
}

async function relate(tx: Tx, { user, project }: Actor, on: NoteableRow<IssuableName>, updates: Updates): Promise<void> {
  const { todo_event, subscription_event, emoji_award } = updates
  const target = keyOf(on)
  if (emoji_award) await toggleAwardIn(tx, user, { noteable: on, note: null }, emoji_award)
  if (subscription_event) await chooseSubscription(tx, user.id, target, subscription_event === 'subscribe')
  if (todo_event === 'done') await completeTodosIn(tx, user.id, target)
  if (todo_event === 'add') await addTodoIn(tx, user.id, { target, project_id: project.id, author_id: user.id, action: 'marked' })
}
