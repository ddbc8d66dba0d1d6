/** Rules of sharing projects and groups with groups. */
import type { LocatedGroup, LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import type { Day } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { standsAbove } from '../../namespaces/namespaces.ts'
import { deleteIfExpired, findShare, insertShare, type Share, type SharedPlace, updateShare } from './group-shares.queries.ts'

interface Terms {
  access_level: number
  /** A day in the past is no error: the share has already ended then. */
  expires_at: Day | null
}

/** Shares the project with the group. Throws 409 if it is already shared with it, or is in it. */
export async function shareProject(app: App, project: LocatedProject, group: LocatedGroup, terms: Terms): Promise<Share> {
  if (await standsAbove(app.db, group.id, project.namespace_id)) {
    throw new Failure('conflict', 'Project cannot be shared with the group it is in or one of its ancestors.')
  }
  return share(app, { project_id: project.id }, group, terms)
}

/** Shares the group, with everything below it, with another one. Throws 409 if it is already shared with it, or is that group or in it. */
export async function shareGroup(app: App, shared: LocatedGroup, group: LocatedGroup, terms: Terms): Promise<Share> {
  if (await standsAbove(app.db, group.id, shared.id)) {
    throw new Failure('conflict', 'Group cannot be shared with itself or one of its ancestors.')
  }
  return share(app, { namespace_id: shared.id }, group, terms)
}

async function share(app: App, place: SharedPlace, { id: group_id }: LocatedGroup, terms: Terms): Promise<Share> {
  try {
    return await inTransaction(app.db, async (tx) => {
      // An expired share doesn't count.
      await deleteIfExpired(tx, place, group_id)
      return insertShare(tx, place, { group_id, ...terms })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure('conflict', 'Group already shared with this group', { cause: error }) : error
  }
}

/** Changes the level and the expiry of a share. Throws 404 if it has ended meanwhile. */
export async function changeShare(app: App, place: SharedPlace, groupId: number, terms: Terms): Promise<void> {
  if (!(await updateShare(app.db, place, groupId, terms))) throw notFound('Group Link')
}

/** Throws 404 if it is not shared with the group. */
export async function getShare(app: App, place: SharedPlace, groupId: number): Promise<Share> {
  const found = await findShare(app.db, place, groupId)
  if (!found) throw notFound('Group Link')
  return found
}
