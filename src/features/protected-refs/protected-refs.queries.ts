/** The rows of protected branches and tags. */
import type { Db } from '../../db/database.ts'
import { prepared } from '../../db/prepared.ts'

export const branchRulesOf = prepared((db: Db, projectId: number) =>
  db.selectFrom('protected_branches').selectAll().where('project_id', '=', projectId).orderBy('id'),
)

export const tagRulesOf = prepared((db: Db, projectId: number) =>
  db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId).orderBy('id'),
)

/** Protects a branch or a pattern that isn't yet. */
export async function insertBranchRule(
  db: Db,
  rule: { project_id: number; name: string; push_level: number; merge_level: number },
): Promise<void> {
  await db
    .insertInto('protected_branches')
    .values(rule)
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute()
}
