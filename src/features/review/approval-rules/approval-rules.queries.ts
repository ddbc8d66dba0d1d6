/** SQL for rules of approval: of a project, of one of its merge requests, and of groups. */
import { type Insertable, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { ApprovalRule, ApprovalRuleTable } from '../../../db/tables.ts'

/** A rule with the ids of what it names. */
export interface NamingRule extends ApprovalRule {
  user_ids: number[]
  group_ids: number[]
  protected_branch_ids: number[]
}

/** A rule as merge requests have it: stored, or of the CODEOWNERS file. */
export type ShownRule = Omit<NamingRule, 'rule_type'> & { rule_type: NamingRule['rule_type'] | 'code_owner' }

/** The project of a rule, or its group if `project_id` is null: then the rule applies to all projects below. */
export type RuledPlace = Pick<ApprovalRule, 'project_id' | 'group_id'>

/** A condition of queries about what has a `project_id`. */
export function inRuledPlace({ project_id, group_id }: RuledPlace): RawBuilder<SqlBool> {
  if (project_id !== null) return sql<SqlBool>`project_id = ${project_id}`
  return sql<SqlBool>`project_id in (
    select projects.id from projects inner join namespace_ancestors on namespace_ancestors.namespace_id = projects.namespace_id
    where namespace_ancestors.ancestor_id = ${group_id})`
}

const ofProject = prepared((db: Db, projectId: number) =>
  db.selectFrom('approval_rules').selectAll().where('project_id', '=', projectId).where('merge_request_id', 'is', null).orderBy('id'),
)

const ofGroup = prepared((db: Db, groupId: number) =>
  db.selectFrom('approval_rules').selectAll().where('group_id', '=', groupId).orderBy('id'),
)

const atProject = prepared((db: Db, projectId: number) =>
  db
    .selectFrom('approval_rules')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('project_id', '=', projectId), eb('merge_request_id', 'is', null)]),
        eb(
          'group_id',
          'in',
          eb
            .selectFrom('namespace_ancestors')
            .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
            .select('ancestor_id')
            .where('projects.id', '=', projectId),
        ),
      ]),
    )
    .orderBy('id'),
)

const ofMergeRequest = prepared((db: Db, mergeRequestId: number) =>
  db.selectFrom('approval_rules').selectAll().where('merge_request_id', '=', mergeRequestId).orderBy('id'),
)

const usersOf = prepared((db: Db, ruleIds: readonly number[]) =>
  db
    .selectFrom('approval_rule_users')
    .selectAll()
    .where(among(db, 'rule_id', ruleIds))
    .orderBy('user_id'),
)
const groupsOf = prepared((db: Db, ruleIds: readonly number[]) =>
  db
    .selectFrom('approval_rule_groups')
    .selectAll()
    .where(among(db, 'rule_id', ruleIds))
    .orderBy('group_id'),
)
const branchesOf = prepared((db: Db, ruleIds: readonly number[]) =>
  db
    .selectFrom('approval_rule_branches')
    .selectAll()
    .where(among(db, 'rule_id', ruleIds))
    .orderBy('protected_branch_id'),
)

/** The rules of the project itself, oldest first. One statement if there are none, four otherwise. */
export async function rulesOfProject(db: Db, projectId: number): Promise<NamingRule[]> {
  return withNames(db, await ofProject(db, projectId))
}

/** The rules of the project and those of the groups above it, oldest first. */
export async function rulesAtProject(db: Db, projectId: number): Promise<NamingRule[]> {
  return withNames(db, await atProject(db, projectId))
}

/** The rules of the group itself, oldest first. */
export async function rulesOfGroup(db: Db, groupId: number): Promise<NamingRule[]> {
  return withNames(db, await ofGroup(db, groupId))
}

/** The rules that only the merge request has, oldest first. */
export async function rulesOfMergeRequest(db: Db, mergeRequestId: number): Promise<NamingRule[]> {
  return withNames(db, await ofMergeRequest(db, mergeRequestId))
}

async function withNames(db: Db, rules: ApprovalRule[]): Promise<NamingRule[]> {
  if (rules.length === 0) return []
  const ids = rules.map(({ id }) => id)
  const [users, groups, branches] = [await usersOf(db, ids), await groupsOf(db, ids), await branchesOf(db, ids)]
  return rules.map((rule) => ({
    ...rule,
    user_ids: users.filter(({ rule_id }) => rule_id === rule.id).map(({ user_id }) => user_id),
    group_ids: groups.filter(({ rule_id }) => rule_id === rule.id).map(({ group_id }) => group_id),
    protected_branch_ids: branches.filter(({ rule_id }) => rule_id === rule.id).map(({ protected_branch_id }) => protected_branch_id),
  }))
}

export function insertRule(tx: Tx, rule: Insertable<ApprovalRuleTable>): Promise<ApprovalRule> {
  return tx.insertInto('approval_rules').values(rule).returningAll().executeTakeFirstOrThrow()
}

/** Null if it was removed meanwhile. */
export async function updateRule(tx: Tx, id: number, change: Updateable<ApprovalRuleTable>): Promise<ApprovalRule | null> {
  return (await tx.updateTable('approval_rules').set(change).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteRule(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('approval_rules').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export interface Names {
  user_ids?: readonly number[]
  group_ids?: readonly number[]
  protected_branch_ids?: readonly number[]
}

/** Replaces what the rule names, as far as it is given. */
export async function replaceNames(tx: Tx, rule_id: number, { user_ids, group_ids, protected_branch_ids }: Names): Promise<void> {
  if (user_ids !== undefined) {
    await tx.deleteFrom('approval_rule_users').where('rule_id', '=', rule_id).execute()
    const rows = user_ids.map((user_id) => ({ rule_id, user_id }))
    if (rows.length > 0) await tx.insertInto('approval_rule_users').values(rows).execute()
  }
  if (group_ids !== undefined) {
    await tx.deleteFrom('approval_rule_groups').where('rule_id', '=', rule_id).execute()
    const rows = group_ids.map((group_id) => ({ rule_id, group_id }))
    if (rows.length > 0) await tx.insertInto('approval_rule_groups').values(rows).execute()
  }
  if (protected_branch_ids !== undefined) {
    await tx.deleteFrom('approval_rule_branches').where('rule_id', '=', rule_id).execute()
    const rows = protected_branch_ids.map((protected_branch_id) => ({ rule_id, protected_branch_id }))
    if (rows.length > 0) await tx.insertInto('approval_rule_branches').values(rows).execute()
  }
}
