/** Deletes users in one transaction; repositories and files are removed by jobs of that transaction. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { findLockedNamespace, lockNamespaces } from '../../namespaces/namespaces.ts'
import { keepAnAdministrator, loadLockedUser, lockOwnNamespace } from '../../people/users/users.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { removeSpaceIn } from '../groups/groups.ts'
import { ghostUser } from './ghost.service.ts'
import { deleteUserRow, groupsOwnedAlone, topsOfOwned } from './user-deletion.queries.ts'

interface Deletion {
  hard_delete: boolean
  /** Called with the user as they stay until they are deleted; throws to refuse it. */
  before?: (tx: Tx, user: User) => Promise<void>
}

/**
 * Deletes a user with their own namespace and everything in it. Their contributions elsewhere go to the Ghost User; with `hard_delete` they
 * are deleted as well, together with the groups that nobody else owns. Throws 409 if there are such groups without `hard_delete`, and 403
 * for the last administrator and the Ghost User.
 */
export async function deleteUser(app: App, id: number, { hard_delete, before }: Deletion): Promise<void> {
  const ghost = await ghostUser(app)
  if (ghost.id === id) throw forbidden('The Ghost User cannot be changed')
  await inTransaction(app.db, async (tx) => {
    const namespace = await lockOwnNamespace(tx, id)
    await removeOwnGroups(tx, id, hard_delete)
    if (namespace) await removeSpaceIn(tx, namespace.id)
    await publish(tx, { type: 'user_deletion_started', user_id: id })
    await keepAnAdministrator(tx, id)
    const user = await loadLockedUser(tx, id)
    await before?.(tx, user)
    // From here on nothing is made in their name any more; until here they may have made a group.
    if ((await groupsOwnedAlone(tx, id)).length > 0) throw ownsAlone()
    await publish(tx, { type: 'user_deleted', user_id: id, ghost_id: ghost.id, hard_delete })
    if (user.avatar_key) await abandon(tx, user.avatar_key)
    await deleteUserRow(tx, id)
  })
}

/** Deletes somebody who has signed up and waits for approval; they are told by mail. Throws 409 for everybody else. */
export function rejectUser(app: App, id: number): Promise<void> {
  return deleteUser(app, id, {
    hard_delete: true,
    async before(tx, user) {
      if (user.state !== 'blocked_pending_approval') throw new Failure('conflict', 'User does not have a pending request')
      await publish(tx, { type: 'sign_up_rejected', user })
    },
  })
}

/** A group without an owner could be changed by nobody. */
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
