/** SQL for mentions. */
import { notExpired } from '../../../access/members.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { IssuableName, NoteableKey } from '../../../db/tables.ts'
import { issuableTables } from '../../planning/issuables/issuables.ts'

/** An author, as a viewer. */
export async function viewerById(db: Db, id: number): Promise<Viewer> {
  return (await db.selectFrom('users').select(['id', 'admin', 'external']).where('id', '=', id).executeTakeFirst()) ?? null
}

/** The direct members of these groups, who are mentioned with the group. */
export async function memberIdsOfGroups(db: Db, groupIds: number[]): Promise<Array<{ group_id: number; user_id: number }>> {
  if (groupIds.length === 0) return []
  const found = await db
    .selectFrom('members')
    .select((eb) => [eb.ref('members.namespace_id').$notNull().as('group_id'), 'members.user_id'])
    .where('members.namespace_id', 'in', groupIds)
    .where(notExpired())
    .execute()
  return found
}

/** Everyone with a role in the project: directly, through a group above, or through a share. */
export async function memberIdsOfProject(db: Db, project: { id: number; namespace_id: number }): Promise<number[]> {
  const above = db
    .selectFrom('namespace_ancestors as above')
    .select('above.ancestor_id')
    .where('above.namespace_id', '=', project.namespace_id)
  const found = await db
    .selectFrom('members')
    .select('members.user_id')
    .where(notExpired())
    .where((eb) => eb.or([eb('members.project_id', '=', project.id), eb('members.namespace_id', 'in', above)]))
    .union(
      db
        .selectFrom('group_shares')
        .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
        .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
        .select('members.user_id')
        .where(notExpired())
        .where(notExpired(today(), 'group_shares'))
        .where((eb) => eb.or([eb('group_shares.project_id', '=', project.id), eb('group_shares.namespace_id', 'in', above)])),
    )
    .execute()
  return found.map(({ user_id }) => user_id)
}

/** Engines limit the values per statement. */
const rowsAtOnce = 5_000

/** Adds participants. Users who are only mentioned in internal notes participate only for readers who can see these. */
export async function addMentions(tx: Tx, { kind, id }: NoteableKey<IssuableName>, userIds: number[], internal: boolean): Promise<void> {
  const { mentions: table } = issuableTables[kind]
  const column = `${kind}_id` as const
  for (let at = 0; at < userIds.length; at += rowsAtOnce)
    await tx
      .insertInto(table)
      .values(userIds.slice(at, at + rowsAtOnce).map((user_id) => ({ [column as 'issue_id']: id, user_id, internal })))
      .onConflict((conflict) =>
        internal ? conflict.doNothing() : conflict.columns([column as 'issue_id', 'user_id']).doUpdateSet({ internal: false }),
      )
      .execute()
}
