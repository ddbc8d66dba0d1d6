/** SQL for what a deleted user leaves behind. */
import { notExpired } from '../../access/visible.ts'
import type { Db } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'

export async function findGhost(db: Db): Promise<User | null> {
  return (await db.selectFrom('users').selectAll().where('kind', '=', 'ghost').executeTakeFirst()) ?? null
}

/** Groups that nobody else owns, neither directly nor by a group above. */
export async function groupsOwnedAlone(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('members.namespace_id')
    .where('members.user_id', '=', userId)
    .where('members.access_level', '>=', 50)
    .where('members.namespace_id', 'is not', null)
    .where(notExpired())
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members as others')
            .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'others.namespace_id')
            .select('others.id')
            .whereRef('namespace_ancestors.namespace_id', '=', 'members.namespace_id')
            .where('others.user_id', '!=', userId)
            .where('others.access_level', '>=', 50)
            .where((other) => other.or([other('others.expires_at', 'is', null), other('others.expires_at', '>', today())])),
        ),
      ),
    )
    .orderBy('members.namespace_id')
    .execute()
  return rows.flatMap(({ namespace_id }) => namespace_id ?? [])
}

/** The projects in a namespace and in all below it. */
export async function projectsBelow(db: Db, namespaceId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('namespace_ancestors.ancestor_id', '=', namespaceId)
    .orderBy('projects.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Where the avatars of a namespace and of all below it are stored. */
export async function avatarsBelow(db: Db, namespaceId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('namespaces')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'namespaces.id')
    .select('namespaces.avatar_key')
    .where('namespace_ancestors.ancestor_id', '=', namespaceId)
    .where('namespaces.avatar_key', 'is not', null)
    .execute()
  return rows.flatMap(({ avatar_key }) => avatar_key ?? [])
}

/** With all below it. */
export async function deleteNamespace(db: Db, id: number): Promise<void> {
  await db.deleteFrom('namespaces').where('id', '=', id).execute()
}

/** All that a user did becomes what another did. */
export async function moveContributions(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('events').set({ author_id: to }).where('author_id', '=', from).execute()
  await db.updateTable('commit_comments').set({ author_id: to }).where('author_id', '=', from).execute()
  await db.updateTable('commit_statuses').set({ author_id: to }).where('author_id', '=', from).execute()
  await db.updateTable('pipelines').set({ user_id: to }).where('user_id', '=', from).execute()
  await db.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute()
  await db.updateTable('uploads').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** A push that is under way, or that a crash cut off, comes to its end in the name of another. */
export async function moveOpenPushes(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('push_intents').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** With all rows that are his alone: keys, tokens, sessions, addresses, memberships. */
export async function deleteUserRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}
