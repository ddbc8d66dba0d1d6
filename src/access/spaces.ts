/** Finds the project, group or user at a path, for URLs that contain one among other parts. Checks no access. */
import type { Db } from '../db/database.ts'

export interface Space {
  kind: 'project' | 'group' | 'user'
  /** The id of the project, the group, or the user. */
  id: number
  /** The current path, with its case. */
  path: string
}

/** The existing paths, keyed by path in lower case; includes bots, which have no namespace. One statement. */
export async function spacesAt(db: Db, paths: readonly string[]): Promise<Map<string, Space>> {
  if (paths.length === 0) return new Map()
  const keys = paths.map((path) => path.toLowerCase())
  const found = await db
    .selectFrom('routes')
    .leftJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key', 'routes.path', 'routes.project_id', 'routes.namespace_id', 'namespaces.kind', 'namespaces.owner_id'])
    .where('routes.path_key', 'in', keys)
    .unionAll(usersWithoutNamespace(db, keys))
    .execute()
  return new Map(
    found.map(({ path_key, path, project_id, namespace_id, kind, owner_id }): [string, Space] => {
      if (project_id !== null) return [path_key, { kind: 'project', id: project_id, path }]
      return kind === 'user' ? [path_key, { kind, id: owner_id ?? 0, path }] : [path_key, { kind: 'group', id: namespace_id ?? 0, path }]
    }),
  )
}

function usersWithoutNamespace(db: Db, keys: readonly string[]) {
  return db
    .selectFrom('users')
    .where('users.username_key', 'in', keys)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('routes').select('routes.path_key').whereRef('routes.path_key', '=', 'users.username_key'))),
    )
    .select((eb) => [
      'users.username_key as path_key',
      'users.username as path',
      eb.cast<number | null>(eb.val(null), 'bigint').as('project_id'),
      eb.cast<number | null>(eb.val(null), 'bigint').as('namespace_id'),
      eb.cast<'user' | 'group' | null>(eb.val('user'), 'text').as('kind'),
      eb.ref('users.id').$castTo<number | null>().as('owner_id'),
    ])
}
