/** Which project, group or user stands at a path: for addresses that hold one among other words. Says nothing about who may see it. */
import type { Db } from '../db/database.ts'

export interface Space {
  kind: 'project' | 'group' | 'user'
  /** Of the project, the group, or the user. */
  id: number
  /** As it is written today. */
  path: string
}

/** Those of the paths at which something stands, by the path in lower case. One statement. */
export async function spacesAt(db: Db, paths: readonly string[]): Promise<Map<string, Space>> {
  if (paths.length === 0) return new Map()
  const found = await db
    .selectFrom('routes')
    .leftJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key', 'routes.path', 'routes.project_id', 'routes.namespace_id', 'namespaces.kind', 'namespaces.owner_id'])
    .where(
      'routes.path_key',
      'in',
      paths.map((path) => path.toLowerCase()),
    )
    .execute()
  return new Map(
    found.map(({ path_key, path, project_id, namespace_id, kind, owner_id }): [string, Space] => {
      if (project_id !== null) return [path_key, { kind: 'project', id: project_id, path }]
      return kind === 'user' ? [path_key, { kind, id: owner_id ?? 0, path }] : [path_key, { kind: 'group', id: namespace_id ?? 0, path }]
    }),
  )
}
