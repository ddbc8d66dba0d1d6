/** SQL for claims of OpenID Connect. */
import { expressionBuilder } from 'kysely'
import { accessLevels } from '../../../access/levels.ts'
import { groupsJoinedBy } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'

/** A token must fit into a header. */
const maxGroups = 500

/** The groups that the user belongs to, including those below them. */
export async function groupPathsOf(db: Db, user_id: number): Promise<string[]> {
  const eb = expressionBuilder<Tables, 'namespaces'>()
  const rows = await db
    .selectFrom('routes')
    .select('routes.path')
    .where('routes.namespace_id', 'in', groupsJoinedBy(eb, user_id, accessLevels.guest))
    .orderBy('routes.path')
    .limit(maxGroups)
    .execute()
  return rows.map(({ path }) => path)
}
