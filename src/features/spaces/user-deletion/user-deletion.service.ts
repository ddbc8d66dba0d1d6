/** Deletes users in one transaction; repositories and files are removed by jobs of that transaction. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { findLockedNamespace, lockNamespaces } from '../../namespaces/namespaces.ts'
import { keepAnAdministrator, loadLockedUser, lockOwnNamespace } from '../../people/users/users.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { removeSpaceIn } from '../groups/groups.ts'
import { ghostUser } from './ghost.service.ts'
import { deleteUserRow, groupsOwnedAlone, topsOfOwned } from './user-deletion.queries.ts'

/**
 * Deletes a user with their own namespace and everything in it. Their contributions elsewhere go to the Ghost User; with `hard_delete` they
 * are deleted as well, together with the groups that nobody else owns. Throws 409 if there are such groups without `hard_delete`, and 403
 * for the last administrator and the Ghost User.
 */
export async function deleteUser(app: App, id: number, { hard_delete }: { hard_delete: boolean }): Promise<void> {
  const ghost = await ghostUser(app)
  if (ghost.id === id) throw forbidden('The Ghost User cannot be changed')
  await inTransaction(app.db, async (tx) => {
    const namespace = await lockOwnNamespace(tx, id)
    await removeOwnGroups(tx, id, hard_delete)
    if (namespace) await removeSpaceIn(tx, namespace.id)
    await publish(tx, { type: 'user_deletion_started', user_id: id })
    await keepAnAdministrator(tx, id)
    const { avatar_key } = await loadLockedUser(tx, id)
    // From here on, nothing can be created in their name; until here, they may have created a group.
    if ((await groupsOwnedAlone(tx, id)).length > 0) throw ownsAlone()
    await publish(tx, { type: 'user_deleted', user_id: id, ghost_id: ghost.id, hard_delete })
    if (avatar_key) await abandon(tx, avatar_key)
    await deleteUserRow(tx, id)
  })
}

/** A group without an owner could never be changed. */
async function removeOwnGroups(tx: Tx, userId: number, hard_delete: boolean): Promise<void> {
  // If two owners are deleted at once, the second must be recognized as the last.
  await lockNamespaces(tx, await topsOfOwned(tx, userId))
  const groups = await groupsOwnedAlone(tx, userId)
  if (groups.length > 0 && !hard_delete) throw ownsAlone()
  for (const group of groups) {
    // It may have been removed together with a group above it.
    if (await findLockedNamespace(tx, group)) await removeSpaceIn(tx, group)
  }
}

function ownsAlone(): Failure {
  return new Failure('conflict', 'User cannot be removed while being the only owner of a group')
}
