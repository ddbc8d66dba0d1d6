/** SQL for branches of forks to which open merge requests let others push. */
import type { Db } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

export type OpenedBranch = Pick<MergeRequest, 'source_branch' | 'project_id' | 'target_branch'>

/** Limit per fork; further merge requests are ignored. */
const maxOpened = 500

/** The branches of this project whose open merge requests allow collaboration, with their targets; only one branch, if given. */
export function openedBranches(db: Db, source_project_id: number, branch?: string): Promise<OpenedBranch[]> {
  let query = db
    .selectFrom('merge_requests')
    .select(['source_branch', 'project_id', 'target_branch'])
    .where('source_project_id', '=', source_project_id)
    .where('state', '=', 'opened')
    .where('allow_collaboration', '=', true)
    .where('project_id', '!=', source_project_id)
  if (branch !== undefined) query = query.where('source_branch', '=', branch)
  return query.orderBy('id').limit(maxOpened).execute()
}
