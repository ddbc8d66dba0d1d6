/** SQL for deploy tokens. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { DeployToken, DeployTokenTable } from '../../../db/tables.ts'

/** The project or the group whose tokens they are. */
export type Place = { project_id: number } | { namespace_id: number }

/** Oldest first; of all projects and groups if neither is given. */
export function listDeployTokens(
  db: Db,
  place: Place | null,
  { active }: { active: boolean },
  page: PageOf,
): Promise<{ rows: DeployToken[]; total: number }> {
  let query = at(db, place)
  if (active) query = query.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now())]))
  return paginate(query.orderBy('id'), page)
}

export async function deployTokenAt(db: Db, place: Place, id: number): Promise<DeployToken | null> {
  return (await at(db, place).where('id', '=', id).executeTakeFirst()) ?? null
}

function at(db: Db, place: Place | null) {
  const query = db.selectFrom('deploy_tokens').selectAll()
  if (place === null) return query
  return 'project_id' in place ? query.where('project_id', '=', place.project_id) : query.where('namespace_id', '=', place.namespace_id)
}

export const deployTokensByDigest = prepared((db: Db, digest: string) =>
  db.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest),
)

export function insertDeployToken(db: Db, row: Insertable<DeployTokenTable>): Promise<DeployToken> {
  return db.insertInto('deploy_tokens').values(row).returningAll().executeTakeFirstOrThrow()
}

/** False if it was deleted meanwhile. */
export async function deleteDeployToken(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('deploy_tokens').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Whether the project is currently in the group, at any depth. */
export const ancestry = prepared((db: Db, namespaceId: number, groupId: number) =>
  db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespaceId).where('ancestor_id', '=', groupId),
)
