/** Changes the rules of approval of a project or a merge request. */
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ApprovalRule, MergeRequest, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError, withoutUndefined } from '../../../validation.ts'
import { branchRulesOf } from '../../repository/protected-refs/protected-refs.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { mergeRequestById } from '../merge-requests/merge-requests.ts'
import {
  deleteRule,
  insertRule,
  type Names,
  type NamingRule,
  replaceNames,
  rulesOfMergeRequest,
  rulesOfProject,
  updateRule,
} from './approval-rules.queries.ts'
import { approversAmong, existingUsers, visibleGroups } from './people.queries.ts'
import { assertRoom } from './room.ts'
import { approvalSettingsOf } from './settings.queries.ts'

/** The user who changes rules, and the project they belong to. */
export interface RuleEditor {
  user: User
  project: LocatedProject
}

/** Undefined fields are kept. */
export interface RuleChange {
  name?: string | undefined
  approvals_required?: number | undefined
  applies_to_all_protected_branches?: boolean | undefined
  /** Null names nobody, as an empty list does. */
  user_ids?: number[] | null | undefined
  usernames?: string[] | undefined
  group_ids?: number[] | null | undefined
  protected_branch_ids?: number[] | null | undefined
  /** Whether groups that the editor can't see are removed, too. */
  remove_hidden_groups?: boolean | undefined
}

export interface NewRule extends RuleChange {
  name: string
  approvals_required: number
  rule_type?: ApprovalRule['rule_type'] | undefined
}

export const maxRules = 100
const maxName_chars = 1_024
export const maxApprovals = 100
export const anybody = 'All Members'

type Place = { merge_request_id: number | null; source_rule_id: number | null }
const inProject: Place = { merge_request_id: null, source_rule_id: null }

/** Throws 400 for fields that are invalid, and for a name that another rule of the project has. */
export function createProjectRule(app: App, editor: RuleEditor, rule: NewRule): Promise<NamingRule> {
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, editor.project.id)
    return createIn(tx, editor, inProject, await rulesOfProject(tx, editor.project.id), rule)
  })
}

/**
 * Adds a rule to a merge request, or puts one in the place of a rule of its project, which may not require fewer approvals. Throws 403 where
 * the project doesn't let its rules be replaced.
 */
export function createRequestRule(
  app: App,
  editor: RuleEditor,
  { id }: MergeRequest,
  { approval_project_rule_id, ...rule }: NewRule & { approval_project_rule_id?: number | undefined },
): Promise<NamingRule> {
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, editor.project.id)
    const own = await rulesOfMergeRequest(tx, id)
    if (approval_project_rule_id === undefined)
      return createIn(tx, editor, { merge_request_id: id, source_rule_id: null }, own, { ...rule, rule_type: rule.rule_type ?? 'regular' })
    const source = (await rulesOfProject(tx, editor.project.id)).find((one) => one.id === approval_project_rule_id)
    if (!source) throw missing()
    await assertReplaceable(tx, editor.project.id)
    assertNotFewer(rule, source)
    if (own.some(({ source_rule_id }) => source_rule_id === source.id))
      throw invalid({ approval_project_rule_id: ['has already been taken'] })
    const { user_ids, group_ids, rule_type } = source
    const place = { merge_request_id: id, source_rule_id: source.id }
    return createIn(tx, editor, place, own, { user_ids, group_ids, ...withoutUndefined(rule), name: rule.name, rule_type } as NewRule)
  })
}

/** Throws 404 if it was removed meanwhile, and otherwise as `createProjectRule` and `createRequestRule` do. */
export function changeRule(app: App, editor: RuleEditor, known: NamingRule, change: RuleChange): Promise<NamingRule> {
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, editor.project.id)
    const others = await siblingsOf(tx, editor, known)
    const before = others.find(({ id }) => id === known.id)
    if (!before) throw missing()
    if (before.source_rule_id !== null) {
      await assertReplaceable(tx, editor.project.id)
      const source = (await rulesOfProject(tx, editor.project.id)).find(({ id }) => id === before.source_rule_id)
      if (source) assertNotFewer(change, source)
    }
    assertFields(change)
    const names = await namesIn(tx, editor, change, before)
    assertRoom(others, before, names)
    const { name, approvals_required, applies_to_all_protected_branches } = change
    const fields = withoutUndefined({ name: name?.trim(), approvals_required, applies_to_all_protected_branches })
    const updated = await updateRule(tx, before.id, { ...fields, updated_at: now() }).catch(refuseTaken)
    if (!updated) throw missing()
    await replaceNames(tx, before.id, names)
    await publish(tx, { type: 'approval_rule_changed', act: 'changed', rule: updated })
    await askThose(
      tx,
      editor,
      updated,
      (names.user_ids ?? []).filter((id) => !before.user_ids.includes(id)),
    )
    return { ...before, ...updated, ...names } as NamingRule
  })
}

/** As `changeRule`, of a project. Throws 404 if the project has no such rule. */
export async function changeProjectRule(app: App, editor: RuleEditor, id: number, change: RuleChange): Promise<NamingRule> {
  const known = (await rulesOfProject(app.db, editor.project.id)).find((rule) => rule.id === id)
  if (!known) throw missing()
  return changeRule(app, editor, known, change)
}

/** Removes a rule; succeeds even if it was already removed. Those that replaced it in merge requests become their own. */
export function removeRule(app: App, rule: NamingRule): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    if (await deleteRule(tx, rule.id)) await publish(tx, { type: 'approval_rule_changed', act: 'removed', rule })
  })
}

/** As `removeRule`. Throws 404 if the project has no such rule. */
export async function removeProjectRule(app: App, projectId: number, id: number): Promise<NamingRule> {
  const rule = (await rulesOfProject(app.db, projectId)).find((one) => one.id === id)
  if (!rule) throw missing()
  await removeRule(app, rule)
  return rule
}

/** How many approvals anybody may give, kept in the rule that names nobody. */
export async function requireAnybody(tx: Tx, editor: RuleEditor, approvals_required: number): Promise<void> {
  const rules = await rulesOfProject(tx, editor.project.id)
  const rule = rules.find(({ rule_type }) => rule_type === 'any_approver')
  if (!rule) {
    if (approvals_required > 0)
      await createIn(tx, editor, inProject, rules, { name: anybody, rule_type: 'any_approver', approvals_required })
    return
  }
  assertFields({ approvals_required })
  const updated = await updateRule(tx, rule.id, { approvals_required, updated_at: now() })
  if (updated) await publish(tx, { type: 'approval_rule_changed', act: 'changed', rule: updated })
}

async function createIn(tx: Tx, editor: RuleEditor, place: Place, others: NamingRule[], rule: NewRule): Promise<NamingRule> {
  const rule_type = rule.rule_type ?? 'regular'
  const name = rule_type === 'any_approver' ? anybody : rule.name.trim()
  assertFields({ ...rule, name })
  if (rule_type === 'any_approver' && others.some((other) => other.rule_type === 'any_approver'))
    throw invalid({ rule_type: ['has already been taken'] })
  if (others.length >= maxRules) throw invalid({ base: [`There can be at most ${maxRules} rules`] })
  const names = rule_type === 'any_approver' ? {} : await namesIn(tx, editor, rule, null)
  const branches = await branchesIn(tx, editor, rule)
  assertRoom(others, null, { ...names, ...branches })
  const at = now()
  const inserted = await insertRule(tx, {
    ...place,
    project_id: editor.project.id,
    rule_type,
    name,
    approvals_required: rule.approvals_required,
    applies_to_all_protected_branches: rule.applies_to_all_protected_branches ?? false,
    created_at: at,
    updated_at: at,
  }).catch(refuseTaken)
  await replaceNames(tx, inserted.id, { ...names, ...branches })
  await publish(tx, { type: 'approval_rule_changed', act: 'created', rule: inserted })
  await askThose(tx, editor, inserted, names.user_ids ?? [])
  return { ...inserted, user_ids: [], group_ids: [], protected_branch_ids: [], ...names, ...branches } as NamingRule
}

/** Whom a rule of a merge request names, and not a group of hundreds. */
async function askThose(tx: Tx, { user }: RuleEditor, { merge_request_id }: ApprovalRule, user_ids: readonly number[]): Promise<void> {
  const merge_request = merge_request_id === null || user_ids.length === 0 ? null : await mergeRequestById(tx, merge_request_id)
  if (merge_request?.state !== 'opened') return
  await publish(tx, { type: 'merge_request_approval_asked', merge_request, actor_id: user.id, at: now(), user_ids: [...user_ids] })
}

function siblingsOf(tx: Tx, { project }: RuleEditor, { merge_request_id }: ApprovalRule): Promise<NamingRule[]> {
  return merge_request_id === null ? rulesOfProject(tx, project.id) : rulesOfMergeRequest(tx, merge_request_id)
}

export function assertFields({ name, approvals_required }: Pick<RuleChange, 'name' | 'approvals_required'>): void {
  const isWithin = approvals_required === undefined || (approvals_required >= 0 && approvals_required <= maxApprovals)
  assertValid({
    name: name === undefined ? null : (blankError(name) ?? lengthError(name, maxName_chars)),
    approvals_required: isWithin ? null : `must be from 0 to ${maxApprovals}`,
  })
}

async function assertReplaceable(tx: Tx, projectId: number): Promise<void> {
  const { disable_overriding_approvers_per_merge_request: isDisabled } = await approvalSettingsOf(tx, projectId)
  if (isDisabled) throw forbidden('Merge requests of this project may not replace its approval rules.')
}

function assertNotFewer({ approvals_required }: RuleChange, source: NamingRule): void {
  if (approvals_required !== undefined && approvals_required < source.approvals_required)
    throw invalid({ approvals_required: [`must be at least ${source.approvals_required}, as the rule of the project requires`] })
}

export function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw invalid({ name: ['has already been taken'] })
  throw error
}

/**
 * Resolves the names in a change. People without access to the code, and groups that the editor can't see, are left out, as in the
 * reference.
 */
async function namesIn(tx: Tx, { user, project }: RuleEditor, change: RuleChange, before: NamingRule | null): Promise<Names> {
  const names: Names = await branchesIn(tx, { user, project }, change)
  if (change.user_ids !== undefined || change.usernames !== undefined) {
    const named = await existingUsers(tx, change.user_ids ?? [], change.usernames ?? [])
    const people = await approversAmong(tx, project, named)
    names.user_ids = named.filter((id) => (people.get(id)?.level ?? 0) >= accessLevels.reporter)
  }
  if (change.group_ids !== undefined || change.remove_hidden_groups === true) {
    const old = before?.group_ids ?? []
    const wanted = change.group_ids === undefined ? old : (change.group_ids ?? [])
    const seen = (await visibleGroups(tx, user, [...new Set([...wanted, ...old])])).map(({ id }) => id)
    const hidden = change.remove_hidden_groups === true ? [] : old.filter((id) => !seen.includes(id))
    names.group_ids = [...seen.filter((id) => wanted.includes(id)), ...hidden].sort((a, b) => a - b)
  }
  return names
}

/** Throws 400 for a branch rule of another project. */
async function branchesIn(tx: Tx, { project }: RuleEditor, { protected_branch_ids }: RuleChange): Promise<Names> {
  if (protected_branch_ids === undefined) return {}
  const wanted = protected_branch_ids ?? []
  const known = (await branchRulesOf(tx, project.id)).map(({ id }) => id)
  if (wanted.some((id) => !known.includes(id))) throw invalid({ protected_branch_ids: ['is invalid'] })
  return { protected_branch_ids: [...new Set(wanted)] }
}
