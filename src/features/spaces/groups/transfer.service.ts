/**
 * Moves a group with everything below it, to another group or to the top level. A transfer rewrites the closure (`namespace_ancestors`) and
 * the routes below in one transaction. Access levels are not stored per user, so nothing needs to be computed when a group moves, a share
 * ends or someone joins.
 */
import { type LocatedGroup, levelInGroup } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { type Failure, invalid } from '../../../failure.ts'
import { isMoreOpen } from '../../../validation.ts'
import { levelsBelow, lockNamespaces, pathError, standsAbove, transferNamespace } from '../../namespaces/namespaces.ts'
import { ensureOwner } from '../members/members.ts'
import { narrowProjects } from '../projects/projects.ts'
import { findLocated, narrowGroups, projectsBelow } from './groups.queries.ts'
import { deepest } from './groups.rules.ts'

/**
 * Moves the group below `parent`, or to the top level. Projects and groups that are more visible than the new parent are reduced to its
 * visibility. Members keep their levels in the group and below; what they had through the former parent ends. At the top level the user
 * becomes an owner if there is none. Throws 400 if it is already there, would be below itself, its path is taken, or the user may not
 * create groups there.
 */
export async function transferGroup(app: App, group: LocatedGroup, parent: LocatedGroup | null, user: User): Promise<LocatedGroup> {
  try {
    await inTransaction(app.db, async (tx) => {
      await lockNamespaces(tx, [group.id, ...(parent ? [parent.id] : [])])
      const locked = await findLocated(tx, group.id)
      const above = parent && (await findLocated(tx, parent.id))
      await assertMayMove(tx, locked, above, user)
      if (above) await narrow(tx, locked, above)
      await transferNamespace(tx, locked, above)
      if (!above) await ensureOwner(tx, locked.id, user.id)
      await publish(tx, { type: 'group_transferred', group_id: locked.id, parent_id: above?.id ?? null, user_id: user.id })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? refusal('The parent group already has a subgroup or a project with the same path.', error) : error
  }
  return findLocated(app.db, group.id)
}

async function assertMayMove(tx: Db, group: LocatedGroup, parent: LocatedGroup | null, user: User): Promise<void> {
  if (group.archived) throw refusal('The group is archived.')
  if (parent?.archived) throw refusal('The parent group is archived.')
  if (group.parent_id === (parent?.id ?? null)) {
    throw refusal(parent ? 'Group is already associated to the parent group.' : 'Group is already a root group.')
  }
  if (parent && (await standsAbove(tx, group.id, parent.id))) throw refusal('Group cannot be moved to itself or one of its subgroups.')
  if (!(await mayCreateIn(tx, parent, user))) throw refusal("You don't have enough permissions.")
  const levels = (parent?.full_path.split('/').length ?? 0) + (await levelsBelow(tx, group.id))
  if (levels > deepest) throw refusal('The groups would be nested too deeply.')
  const fieldError = pathError(group.path, 'namespace', parent?.full_path ?? null)
  if (fieldError !== null) throw refusal(`Path ${fieldError}`)
}

async function mayCreateIn(tx: Db, parent: LocatedGroup | null, user: User): Promise<boolean> {
  if (parent !== null && parent.marked_for_deletion_at !== null) return false
  return parent ? may('create_subgroups', await levelInGroup(tx, parent.id, user)) : user.can_create_group || user.admin
}

/** Nothing in a group may be more visible than the group. */
async function narrow(tx: Tx, group: LocatedGroup, { visibility }: LocatedGroup): Promise<void> {
  if (!isMoreOpen(group.visibility, visibility)) return
  await narrowGroups(tx, group.id, visibility)
  await narrowProjects(tx, await projectsBelow(tx, group.id), visibility)
}

/** In the words that clients of this endpoint expect. */
function refusal(sentence: string, cause?: unknown): Failure {
  return invalid(`Transfer failed: ${sentence}`, cause)
}
