/** Deleting users: all of it or nothing, in one transaction; repositories and files follow by jobs of the same one. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { removeSpaceIn } from '../../spaces/groups/changes.service.ts'
import { holdNamespace, lockNamespace } from '../../spaces/namespaces/namespaces.service.ts'
import { deleteStarsOf } from '../../spaces/projects/stars.service.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { rewriteAuthorizedKeys } from '../keys/keys.service.ts'
import { holdUser, keepAnAdministrator, lockOwnNamespace } from './changes.service.ts'
import { deleteUserRow, groupsOwnedAlone, moveContributions, moveOpenPushes, topsOfOwned } from './deletion.queries.ts'
import { ghostUser } from './ghost.service.ts'

/**
 * Deletes a user with his own namespace and all in it. What he contributed elsewhere is the Ghost User's from then on; with
 * `hard_delete` it is deleted too, as are the groups that nobody else owns. Throws 409 where there are such groups otherwise, and
 * 403 for the last administrator and the Ghost User himself.
 */
export async function deleteUser(app: App, id: number, { hard_delete }: { hard_delete: boolean }): Promise<void> {
  const ghost = await ghostUser(app)
  if (ghost.id === id) throw forbidden('The Ghost User cannot be changed')
  await inTransaction(app.db, async (tx) => {
    const namespace = await lockOwnNamespace(tx, id)
    await removeOwnGroups(tx, id, hard_delete)
    if (namespace) await removeSpaceIn(tx, namespace.id)
    await deleteStarsOf(tx, id)
    await keepAnAdministrator(tx, id)
    const { avatar_key } = await holdUser(tx, id)
    // From here on nobody makes anything in his name any more; until here he himself may have made a group.
    if ((await groupsOwnedAlone(tx, id)).length > 0) throw ownsAlone()
    // Nor stars, of which he may have given one more.
    await deleteStarsOf(tx, id)
    await moveOpenPushes(tx, id, ghost.id)
    if (!hard_delete) await moveContributions(tx, id, ghost.id)
    if (avatar_key) await abandon(tx, avatar_key)
    await deleteUserRow(tx, id)
    await rewriteAuthorizedKeys(tx)
  })
}

/** A group without an owner could be changed by nobody. */
async function removeOwnGroups(tx: Db, userId: number, hard_delete: boolean): Promise<void> {
  // Of two owners who go at once the second one has to see that he is the last.
  for (const top of await topsOfOwned(tx, userId)) await lockNamespace(tx, top)
  const groups = await groupsOwnedAlone(tx, userId)
  if (groups.length > 0 && !hard_delete) throw ownsAlone()
  for (const group of groups) {
    // One of them may have gone with another that it stands in.
    if (await holdNamespace(tx, group)) await removeSpaceIn(tx, group)
  }
}

function ownsAlone(): Failure {
  return new Failure('conflict', 'User cannot be removed while being the only owner of a group')
}
