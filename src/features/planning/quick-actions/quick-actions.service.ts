/** Runs the quick actions of a text on the issue that it describes or discusses. */
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { type Actor, assigneeIds, changeIssueIn, labelIds } from '../issues/issues.ts'
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
  await applyUpdates(tx, actor, issue, interpreted.updates)
  return interpreted
}

/** Makes what quick actions ask for. */
export async function applyUpdates(tx: Tx, actor: Actor, issue: Issue, updates: Updates): Promise<Issue> {
  if (Object.keys(updates).length === 0) return issue
  return changeIssueIn(tx, actor, issue.id, issueChangeOf(updates, await labelIds(tx, issue.id)))
}
