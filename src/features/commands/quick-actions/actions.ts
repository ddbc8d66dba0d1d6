/** What each quick action does: who may use it when, and what it changes. */
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { IssuableName, Issue, MergeRequest, NoteableRow } from '../../../db/tables.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { type Known, subjectKindOf } from './subjects.ts'
import type { Updates } from './updates.ts'

/** What a text describes or discusses: its row is null while it is being created. */
export type Subject = NoteableRow<IssuableName> | { [K in IssuableName]: { kind: K; row: null } }[IssuableName]

/** Where a quick action is used. */
export interface Situation {
  tx: Tx
  config: Config
  actor: Actor
  on: Subject
  assignees: number[]
  reviewers: number[]
  labels: number[]
  /** Who has approved it. */
  approvers: number[]
  known: Known
  /** What the actions before it have asked for. */
  updates: Updates
}

/** Adds to the updates, and says what it did; null where that can't be done, or not by them. */
export type QuickAction = (at: Situation, argument: string) => Promise<string | null> | string | null

/** The actions by their names. */
export type QuickActions = Record<string, QuickAction>

type Act<More> = (at: Situation & More, argument: string) => ReturnType<QuickAction>

/** On what is there, for everybody who can see it. */
export function onThere(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
  return (at, argument) => (at.on.row ? act({ ...at, on: at.on as NoteableRow<IssuableName> }, argument) : null)
}

/** The same, for those who may edit it. */
export function onOwn(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
  return onThere((at, argument) => (subjectKindOf(at.on).mayEdit(at.actor, at.on.row, at.assignees) ? act(at, argument) : null))
}

/** For those who may plan with it: with its labels, its milestone, its people. */
export function managed(act: QuickAction): QuickAction {
  return (at, argument) => (subjectKindOf(at.on).mayPlan(at.actor) ? act(at, argument) : null)
}

/** The same, on what is there. */
export function onManaged(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
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
