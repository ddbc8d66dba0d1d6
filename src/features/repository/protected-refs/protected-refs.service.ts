/** Protection rules: who may push to, merge into and create which branches and tags. */
import type { Kysely } from 'kysely'
import { accessLevels } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import type { ProtectedBranch, ProtectedTag, Tables } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, missing } from '../../../failure.ts'
import { matchesWildcard, type Rules, rulesOf } from '../../../text/wildcards.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import {
  type BranchRule,
  type BranchRuleChange,
  branchRulesOf,
  deleteBranchRule,
  deleteTagRule,
  insertBranchRule,
  insertTagRule,
  type TagRule,
  tagRulesOf,
  updateBranchRule,
  updateTagRule,
} from './protected-refs.queries.ts'

export interface BranchProtection {
  branches: Rules<ProtectedBranch>
}

/** The rules of one project. */
export interface Protection extends BranchProtection {
  tags: Rules<ProtectedTag>
}

/** One statement; none once it is cached. */
export async function branchProtectionOf(db: Db, projectId: number): Promise<BranchProtection> {
  return { branches: rulesOf(await branchRulesOf(db, projectId)) }
}

/** Two statements; none once they are cached. */
export async function protectionOf(db: Db, projectId: number): Promise<Protection> {
  const [{ branches }, tags] = await Promise.all([branchProtectionOf(db, projectId), tagRulesOf(db, projectId)])
  return { branches, tags: rulesOf(tags) }
}

export function isProtectedBranch({ branches }: BranchProtection, branch: string): boolean {
  return branches.matching(branch).length > 0
}

export function isProtectedTag({ tags }: Protection, tag: string): boolean {
  return tags.matching(tag).length > 0
}

/** Whether a user with this access level may push to the branch. Of several matching rules, the most permissive counts. */
export function mayPushTo({ branches }: BranchProtection, level: number, branch: string): boolean {
  return mayBy(
    branches.matching(branch).map(({ push_level }) => push_level),
    level,
  )
}

/** Whether users who may push to the branch may rewrite its history: if it isn't protected, or a matching rule allows it. */
export function mayForcePushTo({ branches }: BranchProtection, branch: string): boolean {
  const rules = branches.matching(branch)
  return rules.length === 0 || rules.some(({ allow_force_push }) => allow_force_push)
}

export function mayMergeInto({ branches }: BranchProtection, level: number, branch: string): boolean {
  return mayBy(
    branches.matching(branch).map(({ merge_level }) => merge_level),
    level,
  )
}

export function mayCreateTag({ tags }: Protection, level: number, tag: string): boolean {
  return mayBy(
    tags.matching(tag).map(({ create_level }) => create_level),
    level,
  )
}

/** Without a rule, developers may. A rule with level 0 allows nobody, not even administrators. */
function mayBy(needed: number[], level: number): boolean {
  if (!may('push_code', level)) return false
  return needed.length === 0 || needed.some((min) => min > 0 && level >= min)
}

/** The rights that rules explicitly give to developers; empty if there is no rule. */
export function developersMay({ branches }: BranchProtection, branch: string): { push: boolean; merge: boolean } {
  const rules = branches.matching(branch)
  return {
    push: rules.some(({ push_level }) => push_level === accessLevels.developer),
    merge: rules.some(({ merge_level }) => merge_level === accessLevels.developer),
  }
}

/** Whether a user with this access level may push the first branches of a project. */
export async function mayCreateFirstBranch(db: Db, level: number): Promise<boolean> {
  if (may('create_first_branch', level)) return true
  const { default_branch_protection: wanted } = await readSettings(db)
  return wanted === 0 || wanted === 1
}

/** Protects the first default branch of a repository, by the setting `default_branch_protection`. */
export async function protectDefaultBranch(tx: Tx, projectId: number, branch: string): Promise<void> {
  const { default_branch_protection: wanted } = await readSettings(tx)
  if (wanted === 0 || isProtectedBranch(await branchProtectionOf(tx, projectId), branch)) return
  const rule = await insertBranchRule(tx, { project_id: projectId, name: branch, ...levelsOf(wanted) })
  if (rule) await publishBranchRule(tx, 'created', rule)
}

function levelsOf(wanted: Settings['default_branch_protection']): { push_level: number; merge_level: number } {
  return {
    push_level: wanted === 1 ? accessLevels.developer : accessLevels.maintainer,
    merge_level: wanted === 3 ? accessLevels.developer : accessLevels.maintainer,
  }
}

/** Throws 409 if the branch or wildcard is already protected, 400 for an invalid name. */
export function protectBranch(db: Kysely<Tables>, rule: BranchRule): Promise<ProtectedBranch> {
  assertRefName(rule.name)
  return inTransaction(db, async (tx) => {
    const inserted = await insertBranchRule(tx, rule)
    if (!inserted) throw new Failure('conflict', `Protected branch '${rule.name}' already exists`)
    await publishBranchRule(tx, 'created', inserted)
    return inserted
  })
}

/** Throws 422 if the tag or wildcard is already protected, 400 for an invalid name. */
export async function protectTag(db: Kysely<Tables>, rule: TagRule): Promise<void> {
  assertRefName(rule.name)
  const message = 'Name has already been taken'
  await inTransaction(db, async (tx) => {
    if (!(await insertTagRule(tx, rule))) throw new Failure('unprocessable', message, { body: { message: [message] } })
    await publishTagRule(tx, 'created', rule)
  })
}

/** Throws 404 if it was unprotected meanwhile. */
export function changeBranchRule(db: Kysely<Tables>, id: number, change: BranchRuleChange): Promise<ProtectedBranch> {
  return inTransaction(db, async (tx) => {
    const changed = await updateBranchRule(tx, id, change)
    if (!changed) throw missing()
    await publishBranchRule(tx, 'changed', changed)
    return changed
  })
}

/** Throws as `changeBranchRule`. */
export async function changeTagRule(db: Kysely<Tables>, id: number, create_level: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const changed = await updateTagRule(tx, id, create_level)
    if (!changed) throw missing()
    await publishTagRule(tx, 'changed', changed)
  })
}

/** Removes a rule; succeeds even if it was already removed. */
export async function removeBranchRule(db: Kysely<Tables>, id: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const removed = await deleteBranchRule(tx, id)
    if (removed) await publishBranchRule(tx, 'removed', removed)
  })
}

/** As `removeBranchRule`. */
export async function removeTagRule(db: Kysely<Tables>, id: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    const removed = await deleteTagRule(tx, id)
    if (removed) await publishTagRule(tx, 'removed', removed)
  })
}

type Act = 'created' | 'changed' | 'removed'

function publishBranchRule(tx: Tx, act: Act, { project_id, name, ...says }: ProtectedBranch): Promise<void> {
  const { push_level: push, merge_level: merge, allow_force_push, code_owner_approval_required } = says
  const rule = act === 'removed' ? {} : { push, merge, allow_force_push, code_owner_approval_required }
  return publish(tx, { type: 'protection_changed', project_id, act, ref: 'branch', name, rule })
}

function publishTagRule(tx: Tx, act: Act, { project_id, name, create_level }: TagRule): Promise<void> {
  const rule = act === 'removed' ? {} : { create: create_level }
  return publish(tx, { type: 'protection_changed', project_id, act, ref: 'tag', name, rule })
}

/** Whether a rule applies to this branch or tag. */
export function isRuleFor({ name: pattern }: { name: string }, name: string): boolean {
  return pattern.includes('*') ? matchesWildcard(pattern, name) : pattern === name
}

/** The levels that a rule may require, and what they mean. */
export const protectionLevels: Readonly<Record<number, string>> = { 0: 'No one', 30: 'Developers + Maintainers', 40: 'Maintainers' }

/** Parameters of the older endpoints: what developers may do. Undefined ones are kept. */
export interface Permissions {
  developers_can_push?: boolean | undefined
  developers_can_merge?: boolean | undefined
}

/** Protects a branch, which may already be protected; safe to repeat. */
export async function permitDevelopers(db: Kysely<Tables>, projectId: number, branch: string, permissions: Permissions): Promise<void> {
  const push_level = minLevel(permissions.developers_can_push)
  const merge_level = minLevel(permissions.developers_can_merge)
  const fresh = { push_level: push_level ?? accessLevels.maintainer, merge_level: merge_level ?? accessLevels.maintainer }
  await inTransaction(db, async (tx) => {
    const inserted = await insertBranchRule(tx, { project_id: projectId, name: branch, ...fresh })
    if (inserted) return publishBranchRule(tx, 'created', inserted)
    const rule = (await branchRulesOf(tx, projectId)).find(({ name }) => name === branch)
    const levels = { ...(push_level !== null && { push_level }), ...(merge_level !== null && { merge_level }) }
    const changed = rule && Object.keys(levels).length > 0 ? await updateBranchRule(tx, rule.id, levels) : null
    if (changed) await publishBranchRule(tx, 'changed', changed)
  })
}

/** Removes the rule with exactly this name; a branch that matches a wildcard stays protected. */
export async function unprotectBranch(db: Kysely<Tables>, projectId: number, branch: string): Promise<void> {
  const rule = (await branchRulesOf(db, projectId)).find(({ name }) => name === branch)
  if (rule) await removeBranchRule(db, rule.id)
}

function minLevel(permitted: boolean | undefined): number | null {
  if (permitted === undefined) return null
  return permitted ? accessLevels.developer : accessLevels.maintainer
}

/** The max length of a branch name. */
const longestName = 1_024

function assertRefName(name: string): void {
  const malformed = /[\p{Cc}\p{Cs}]/u.test(name) ? 'is invalid' : null
  assertValid({ name: blankError(name) ?? lengthError(name, longestName) ?? malformed })
}
