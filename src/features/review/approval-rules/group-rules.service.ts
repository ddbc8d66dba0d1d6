/** Changes the rules of approval of a group, which apply to the protected branches of all projects below it. */
import type { LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, missing } from '../../../failure.ts'
import { withoutUndefined } from '../../../validation.ts'
import { deleteRule, insertRule, type Names, type NamingRule, replaceNames, rulesOfGroup, updateRule } from './approval-rules.queries.ts'
import { anybody, assertFields, maxRules, type NewRule, type RuleChange, refuseTaken } from './approval-rules.service.ts'
import { existingUsers, visibleGroups } from './people.queries.ts'
import { assertRoom } from './room.ts'

export interface GroupRuleEditor {
  user: User
  group: LocatedGroup
}

/** Throws 400 for fields that are invalid, and for a name that another rule of the group has. */
export function createGroupRule(app: App, { user, group }: GroupRuleEditor, rule: NewRule): Promise<NamingRule> {
  return inTransaction(app.db, async (tx) => {
    const others = await rulesOfGroup(tx, group.id)
    const rule_type = rule.rule_type ?? 'regular'
    const name = rule_type === 'any_approver' ? anybody : rule.name.trim()
    assertFields({ ...rule, name })
    if (rule_type === 'any_approver' && others.some((other) => other.rule_type === 'any_approver'))
      throw invalid({ rule_type: ['has already been taken'] })
    if (others.length >= maxRules) throw invalid({ base: [`There can be at most ${maxRules} rules`] })
    const names = rule_type === 'any_approver' ? {} : await namesIn(tx, user, rule, [])
    assertRoom(others, null, names)
    const at = now()
    const inserted = await insertRule(tx, {
      ...{ project_id: null, group_id: group.id, merge_request_id: null, source_rule_id: null, rule_type, name },
      ...{ approvals_required: rule.approvals_required, applies_to_all_protected_branches: true, created_at: at, updated_at: at },
    }).catch(refuseTaken)
    await replaceNames(tx, inserted.id, names)
    await publish(tx, { type: 'approval_rule_changed', act: 'created', rule: inserted })
    return { ...inserted, user_ids: [], group_ids: [], protected_branch_ids: [], ...withoutUndefined(names) } as NamingRule
  })
}

/** Throws 404 if it was removed meanwhile, and otherwise as `createGroupRule` does. */
export function changeGroupRule(app: App, { user, group }: GroupRuleEditor, id: number, change: RuleChange): Promise<NamingRule> {
  return inTransaction(app.db, async (tx) => {
    const others = await rulesOfGroup(tx, group.id)
    const before = others.find((rule) => rule.id === id)
    if (!before) throw missing()
    assertFields(change)
    const names = before.rule_type === 'any_approver' ? {} : await namesIn(tx, user, change, before.group_ids)
    assertRoom(others, before, names)
    const name = before.rule_type === 'any_approver' ? undefined : change.name?.trim()
    const fields = withoutUndefined({ name, approvals_required: change.approvals_required })
    const updated = await updateRule(tx, id, { ...fields, updated_at: now() }).catch(refuseTaken)
    if (!updated) throw missing()
    await replaceNames(tx, id, names)
    await publish(tx, { type: 'approval_rule_changed', act: 'changed', rule: updated })
    return { ...before, ...updated, ...withoutUndefined(names) } as NamingRule
  })
}

/** Resolves the names in a change. Access of users isn't checked, as it differs by project; groups that the editor can't see stay. */
async function namesIn(tx: Tx, user: User, change: RuleChange, before: readonly number[]): Promise<Names> {
  const names: Names = {}
  if (change.user_ids !== undefined || change.usernames !== undefined)
    names.user_ids = await existingUsers(tx, change.user_ids ?? [], change.usernames ?? [])
  if (change.group_ids !== undefined) {
    const wanted = change.group_ids ?? []
    const seen = (await visibleGroups(tx, user, [...new Set([...wanted, ...before])])).map(({ id }) => id)
    const hidden = before.filter((id) => !seen.includes(id))
    names.group_ids = [...seen.filter((id) => wanted.includes(id)), ...hidden].sort((a, b) => a - b)
  }
  return names
}

/** Removes a rule; succeeds even if it was already removed. */
export function removeGroupRule(app: App, rule: NamingRule): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    if (await deleteRule(tx, rule.id)) await publish(tx, { type: 'approval_rule_changed', act: 'removed', rule })
  })
}
