/** The quick actions: who may use each of them and when, and what it changes. */
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { IssuableName, Issue, MergeRequest, NoteableRow } from '../../../db/tables.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { type Known, subjectKindOf } from './subjects.ts'
import type { Updates } from './updates.ts'

/** The issue or merge request of the text: its row is null while it is being created. */
export type Subject = NoteableRow<IssuableName> | { [K in IssuableName]: { kind: K; row: null } }[IssuableName]

/** The context in which a quick action is used. */
export interface Situation {
  tx: Tx
  config: Config
  actor: Actor
  on: Subject
  assignees: number[]
  reviewers: number[]
  labels: number[]
  /** Ids of the users who have approved it. */
  approvers: number[]
  known: Known
  /** Changes that the earlier actions have requested. */
  updates: Updates
}

/** Adds to the updates and returns a description; null if the action is impossible or not allowed. */
export type QuickAction = (at: Situation, argument: string) => Promise<string | null> | string | null

/** The actions by their names. */
export type QuickActions = Record<string, QuickAction>

type Act<More> = (at: Situation & More, argument: string) => ReturnType<QuickAction>

/** On an existing subject, for everyone who can see it. */
export function onThere(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
  return (at, argument) => (at.on.row ? act({ ...at, on: at.on as NoteableRow<IssuableName> }, argument) : null)
}

/** On an existing subject, for users who may edit it. */
export function onOwn(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
  return onThere((at, argument) => (subjectKindOf(at.on).mayEdit(at.actor, at.on.row, at.assignees) ? act(at, argument) : null))
}

/** For users who may manage it: its labels, milestone, people. */
export function managed(act: QuickAction): QuickAction {
  return (at, argument) => (subjectKindOf(at.on).mayPlan(at.actor) ? act(at, argument) : null)
}

/** On an existing subject, for users who may manage it. */
export function onManaged(act: Act<{ on: NoteableRow<IssuableName> }>): QuickAction {
  return managed(onThere(act))
}

/** Only on issues, also while one is created. */
export function ofIssue(act: Act<{ issue: Issue | null }>): QuickAction {
  return (at, argument) => (at.on.kind === 'issue' ? act({ ...at, issue: at.on.row }, argument) : null)
}

/** On an existing issue. */
export function onIssue(act: Act<{ issue: Issue }>): QuickAction {
  return (at, argument) => (at.on.kind === 'issue' && at.on.row ? act({ ...at, issue: at.on.row }, argument) : null)
}

/** Only on merge requests, also while one is created. */
export function ofMergeRequest(act: Act<{ merge_request: MergeRequest | null }>): QuickAction {
  return (at, argument) => (at.on.kind === 'merge_request' ? act({ ...at, merge_request: at.on.row }, argument) : null)
}

/** On an existing merge request. */
export function onMergeRequest(act: Act<{ merge_request: MergeRequest }>): QuickAction {
  return (at, argument) => (at.on.kind === 'merge_request' && at.on.row ? act({ ...at, merge_request: at.on.row }, argument) : null)
}
