/** The rows of protected branches and tags. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { ProtectedBranch, ProtectedTag } from '../../../db/tables.ts'

export const branchRulesOf = prepared((db: Db, projectId: number) =>
  db.selectFrom('protected_branches').selectAll().where('project_id', '=', projectId).orderBy('id'),
)

export const tagRulesOf = prepared((db: Db, projectId: number) =>
  db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId).orderBy('id'),
)

export interface BranchRule {
  project_id: number
  name: string
  push_level: number
  merge_level: number
  allow_force_push?: boolean
  code_owner_approval_required?: boolean
}

export interface TagRule {
  project_id: number
  name: string
  create_level: number
}

/** Null if the branch or wildcard is already protected. */
export async function insertBranchRule(db: Db, rule: BranchRule): Promise<ProtectedBranch | null> {
  const inserted = await db
    .insertInto('protected_branches')
    .values({ ...rule, updated_at: now() })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return inserted ?? null
}

export type BranchRuleChange = Partial<Omit<BranchRule, 'project_id' | 'name'>>

/** Null if it was unprotected meanwhile. */
export async function updateBranchRule(db: Db, id: number, change: BranchRuleChange): Promise<ProtectedBranch | null> {
  const updated = await db
    .updateTable('protected_branches')
    .set({ ...change, updated_at: now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return updated ?? null
}

/** The former rule; null if it was removed meanwhile. */
export async function deleteBranchRule(db: Db, id: number): Promise<ProtectedBranch | null> {
  return (await db.deleteFrom('protected_branches').where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** False if the tag or wildcard is already protected. */
export async function insertTagRule(db: Db, rule: TagRule): Promise<boolean> {
  const inserted = await db
    .insertInto('protected_tags')
    .values({ ...rule, updated_at: now() })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Null if it was unprotected meanwhile. */
export async function updateTagRule(db: Db, id: number, create_level: number): Promise<ProtectedTag | null> {
  const changing = db.updateTable('protected_tags').set({ create_level, updated_at: now() }).where('id', '=', id)
  return (await changing.returningAll().executeTakeFirst()) ?? null
}

/** The former rule; null if it was removed meanwhile. */
export async function deleteTagRule(db: Db, id: number): Promise<ProtectedTag | null> {
  return (await db.deleteFrom('protected_tags').where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}
