/** SQL for mail about members. */
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import type { PlaceBelow } from '../../spaces/notification-settings/notification-settings.ts'

/**
 * Users who decide on requests, the longest members first: direct members who manage the place or, if there are none, owners of a group
 * above or of the namespace.
 */
export async function decidersOf(db: Db, { project_id, namespace_id }: PlaceBelow, limit: number): Promise<number[]> {
  const managing = db.selectFrom('members').select('user_id').where(notExpired()).orderBy('id').limit(limit)
  const direct = await (project_id === null
    ? managing.where('namespace_id', '=', namespace_id).where('access_level', '>=', accessLevels.owner)
    : managing.where('project_id', '=', project_id).where('access_level', '>=', accessLevels.maintainer)
  ).execute()
  if (direct.length > 0) return direct.map(({ user_id }) => user_id)
  const above = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespace_id)
  const owners = await managing.where('namespace_id', 'in', above).where('access_level', '>=', accessLevels.owner).execute()
  const owner = await db.selectFrom('namespaces').select('owner_id').where('id', '=', namespace_id).executeTakeFirst()
  return [...new Set([...owners.map(({ user_id }) => user_id), ...(owner?.owner_id ? [owner.owner_id] : [])])]
}
