/** SQL for what a deleted user leaves behind. */
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'

export async function findGhost(db: Db): Promise<User | null> {
  return (await db.selectFrom('users').selectAll().where('kind', '=', 'ghost').executeTakeFirst()) ?? null
}

/** The top-level groups of everything that this user owns, in the order in which they must be locked. */
export async function topsOfOwned(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'members.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_ancestors.ancestor_id')
    .select('namespaces.id')
    .distinct()
    .where('members.user_id', '=', userId)
    .where('members.access_level', '>=', accessLevels.owner)
    .where('namespaces.parent_id', 'is', null)
    .orderBy('namespaces.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Groups without another owner whose ownership doesn't expire, neither directly nor through a group above. */
export async function groupsOwnedAlone(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('members.namespace_id')
    .where('members.user_id', '=', userId)
    .where('members.access_level', '>=', accessLevels.owner)
    .where('members.namespace_id', 'is not', null)
    .where(notExpired())
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members as others')
            .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'others.namespace_id')
            .innerJoin('users as owners', 'owners.id', 'others.user_id')
            .select('others.id')
            // A bot user goes with its token, so it doesn't count.
            .where('owners.kind', '=', 'human')
            .whereRef('namespace_ancestors.namespace_id', '=', 'members.namespace_id')
            .where('others.user_id', '!=', userId)
            .where('others.access_level', '>=', accessLevels.owner)
            .where('others.expires_at', 'is', null),
        ),
      ),
    )
    .orderBy('members.namespace_id')
    .execute()
  return rows.flatMap(({ namespace_id }) => namespace_id ?? [])
}

/** Deletes all rows that belong to the user alone as well: keys, tokens, sessions, addresses, memberships. */
export async function deleteUserRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}
