/** The rules of sharing a project with a group. */
import type { LocatedGroup, LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import type { Day, GroupShare } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { deleteExpiredShares, findShare, insertShare, standsAbove } from './group-shares.queries.ts'

/**
 * Gives the group part in the project, up to a day: one that has come already is no error, the part has ended by then. Throws
 * 409 where the group has part, or has all of it.
 */
export async function shareProject(
  app: App,
  project: LocatedProject,
  group: LocatedGroup,
  { access_level, expires_at }: { access_level: number; expires_at: Day | null },
): Promise<GroupShare> {
  const [project_id, group_id] = [project.id, group.id]
  if (await standsAbove(app.db, group_id, project.namespace_id)) {
    throw new Failure('conflict', 'Project cannot be shared with the group it is in or one of its ancestors.')
  }
  try {
    return await inTransaction(app.db, async (tx) => {
      // A part that has run out is in nobody's way.
      await deleteExpiredShares(tx, { project_id, group_id })
      return insertShare(tx, { project_id, group_id, access_level, expires_at })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure('conflict', 'Group already shared with this group', { cause: error }) : error
  }
}

/** Throws 404 where the group has no part. */
export async function getShare(app: App, projectId: number, groupId: number): Promise<GroupShare> {
  const share = await findShare(app.db, projectId, groupId)
  if (!share) throw notFound('Group Link')
  return share
}
