/** SQL for the payloads of system hooks, groups and members. */
import type { Db } from '../../../db/database.ts'

export type MemberPlace = { project_id: number } | { namespace_id: number }

export async function projectRow(db: Db, id: number) {
  const found = await db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .leftJoin('users', 'users.id', 'namespaces.owner_id')
    .select(['projects.id', 'projects.name', 'projects.path', 'projects.visibility', 'projects.created_at', 'projects.updated_at'])
    .select(['routes.path as full_path', 'namespaces.name as namespace_name', 'users.name as owner_name', 'users.email as owner_email'])
    .where('projects.id', '=', id)
    .executeTakeFirst()
  return found ?? null
}

export async function groupRow(db: Db, id: number) {
  const found = await db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .select('routes.path as full_path')
    .where('namespaces.id', '=', id)
    .where('namespaces.kind', '=', 'group')
    .executeTakeFirst()
  return found ?? null
}

/** The group itself and those below it; none for a personal namespace. */
export async function groupsBelow(db: Db, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.namespace_id')
    .select('namespaces.id')
    .where('namespace_ancestors.ancestor_id', '=', id)
    .where('namespaces.kind', '=', 'group')
    .orderBy('namespaces.id')
    .execute()
  return rows.map((row) => row.id)
}

export async function membershipOf(db: Db, place: MemberPlace, user_id: number) {
  const members = db.selectFrom('members').select(['access_level', 'expires_at', 'created_at']).where('user_id', '=', user_id)
  const here =
    'project_id' in place ? members.where('project_id', '=', place.project_id) : members.where('namespace_id', '=', place.namespace_id)
  return (await here.executeTakeFirst()) ?? null
}
