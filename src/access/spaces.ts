/** Finds the project, group or user at a path, for addresses that hold one among other words. Checks no access. */
import type { Db } from '../db/database.ts'

export interface Space {
  kind: 'project' | 'group' | 'user'
  /** Of the project, the group, or the user. */
  id: number
  /** As it is written today. */
  path: string
}

/** The paths that exist, by the path in lower case. One statement. */
export async function spacesAt(db: Db, paths: readonly string[]): Promise<Map<string, Space>> {
  if (paths.length === 0) return new Map()
  const keys = paths.map((path) => path.toLowerCase())
  const found = await db
    .selectFrom('routes')
    .leftJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key', 'routes.path', 'routes.project_id', 'routes.namespace_id', 'namespaces.kind', 'namespaces.owner_id'])
    .where('routes.path_key', 'in', keys)
    .unionAll(botsAmong(db, keys))
    .execute()
  return new Map(
    found.map(({ path_key, path, project_id, namespace_id, kind, owner_id }): [string, Space] => {
      if (project_id !== null) return [path_key, { kind: 'project', id: project_id, path }]
      return kind === 'user' ? [path_key, { kind, id: owner_id ?? 0, path }] : [path_key, { kind: 'group', id: namespace_id ?? 0, path }]
    }),
  )
}

/** Bot users have no namespace, and so no route of their own. */
function botsAmong(db: Db, keys: readonly string[]) {
  return db
    .selectFrom('users')
    .where('kind', '=', 'bot')
    .where('username_key', 'in', keys)
    .select((eb) => [
      'username_key as path_key',
      'username as path',
      eb.cast<number | null>(eb.val(null), 'bigint').as('project_id'),
      eb.cast<number | null>(eb.val(null), 'bigint').as('namespace_id'),
      eb.cast<'user' | 'group' | null>(eb.val('user'), 'text').as('kind'),
      'users.id as owner_id',
    ])
}
