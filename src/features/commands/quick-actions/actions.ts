/** The quick actions: who may use each of them when, and what it changes. */
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { canManageMergeRequests, canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue, MergeRequest } from '../../../db/tables.ts'
import type { Issuable, IssuableRow } from '../../discussion/noteables/noteables.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import type { Updates } from './updates.ts'

/** The subject that a text describes or discusses: its row is null while it is being created. */
export type Subject = IssuableRow | { [K in Issuable['kind']]: { kind: K; row: null } }[Issuable['kind']]

/** Facts of git and of protected branches, as far as they were asked for. */
export interface Known {
  /** The branches of the project among those that are named as a target. */
  branches: ReadonlySet<string>
  /** Whether the actor may merge it. */
  mayMerge: boolean
  /** Whether the actor may open it again: what is in its source branch by now is shown then. */
  mayReopen: boolean
}

export const nothingKnown: Known = { branches: new Set(), mayMerge: false, mayReopen: false }

/** The situation in which a quick action is used. */
export interface Situation {
  tx: Tx
  config: Config
  actor: Actor
  on: Subject
  assignees: number[]
  reviewers: number[]
  labels: number[]
  /** The ids of those who have approved it. */
  approvers: number[]
  known: Known
  /** Changes that the actions before it have asked for. */
  updates: Updates
}

/** Adds to the updates, and says what it did; null where that can't be done, or not by them. */
export type QuickAction = (at: Situation, argument: string) => Promise<string | null> | string | null

/** The actions by their names. */
export type QuickActions = Record<string, QuickAction>

type Act<More> = (at: Situation & More, argument: string) => ReturnType<QuickAction>

/** On what is there, for everybody who can see it. */
export function onThere(act: Act<{ on: IssuableRow }>): QuickAction {
  return (at, argument) => (at.on.row ? act({ ...at, on: at.on as IssuableRow }, argument) : null)
}

/** On what is there, for those who may edit it. */
export function onOwn(act: Act<{ on: IssuableRow }>): QuickAction {
  return onThere((at, argument) => (mayEdit(at) ? act(at, argument) : null))
}

function mayEdit({ actor, on, assignees }: Situation & { on: IssuableRow }): boolean {
  return on.kind === 'issue'
    ? canUpdateIssue(actor, on.row, assignees, actor.user)
    : canUpdateMergeRequest(actor, on.row, assignees, actor.user)
}

/** For those who may plan with it: with its labels, its milestone, its people. */
export function managed(act: QuickAction): QuickAction {
  return (at, argument) => ((at.on.kind === 'issue' ? canManageIssue : canManageMergeRequests)(at.actor) ? act(at, argument) : null)
}

/** On what is there, for those who may plan with it. */
export function onManaged(act: Act<{ on: IssuableRow }>): QuickAction {
  return managed(onThere(act))
}

/** On issues alone, also while one is created. */
export function ofIssue(act: Act<{ issue: Issue | null }>): QuickAction {
  return (at, argument) => (at.on.kind === 'issue' ? act({ ...at, issue: at.on.row }, argument) : null)
}

/** On an issue that is there. */
export function onIssue(act: Act<{ issue: Issue }>): QuickAction {
  return (at, argument) => (at.on.kind === 'issue' && at.on.row ? act({ ...at, issue: at.on.row }, argument) : null)
}

/** On merge requests alone, also while one is created. */
export function ofMergeRequest(act: Act<{ merge_request: MergeRequest | null }>): QuickAction {
  return (at, argument) => (at.on.kind === 'merge_request' ? act({ ...at, merge_request: at.on.row }, argument) : null)
}

/** On a merge request that is there. */
export function onMergeRequest(act: Act<{ merge_request: MergeRequest }>): QuickAction {
  return (at, argument) => (at.on.kind === 'merge_request' && at.on.row ? act({ ...at, merge_request: at.on.row }, argument) : null)
}
