/** SQL for a user's recent pushes. */
import type { Db } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

export interface BranchPush {
  project_id: number
  branch: string
  /** The pushed tip. */
  oid: string
  created_at: Instant
}

const heads = 'refs/heads/'

/** The last push of a user to a branch of the project or of a fork of it, since an instant; null if there is none. One statement. */
export async function lastBranchPushOf(db: Db, userId: number, projectId: number, since: Instant): Promise<BranchPush | null> {
  const found = await db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .select(['projects.id as project_id', 'events.ref', 'events.after_oid', 'events.created_at'])
    .where('events.author_id', '=', userId)
    .where('events.created_at', '>=', since)
    .where('events.action', '=', 'pushed')
    .where('events.ref', 'like', `${heads}%`)
    .where('events.after_oid', 'is not', null)
    .where((eb) => eb.or([eb('projects.id', '=', projectId), eb('projects.forked_from_id', '=', projectId)]))
    .orderBy('events.created_at', 'desc')
    .orderBy('events.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!found?.ref || !found.after_oid) return null
  const { project_id, ref, after_oid, created_at } = found
  return { project_id, branch: ref.slice(heads.length), oid: after_oid, created_at }
}
