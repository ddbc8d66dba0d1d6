/** Rules of groups: who may create one where, and valid fields. */
import type { GroupAccess, LocatedGroup } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { type Failure, forbidden, invalid, notFound } from '../../../failure.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { findLockedNamespace, insertNamespace, updateNamespace } from '../../namespaces/namespaces.ts'
import { type Avatar, acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { insertMember } from '../members/members.ts'
import { assertWellFormed } from './groups.rules.ts'

export interface NewGroup {
  name: string
  path: string
  description?: string | undefined
  /** By default that of the instance. */
  visibility?: Visibility | undefined
  lfs_enabled: boolean
  request_access_enabled: boolean
  require_two_factor_authentication?: boolean | undefined
  two_factor_grace_period?: number | undefined
  avatar?: Upload | null | undefined
}

/** Whether the user may create a group at the top level, or below one in which they have this level. */
export function mayCreateGroup(user: User, parent: Pick<GroupAccess, 'level'> | null): boolean {
  return parent ? may('create_subgroups', parent.level) : user.can_create_group || user.admin
}

/**
 * Creates a group, below `parent` if given, with its creator as owner. Throws 403, 400, or 404 if the parent was deleted meanwhile.
 * @param refusalOf words the errors of fields; as one sentence by default
 */
export async function createGroup(
  app: App,
  creator: User,
  input: NewGroup,
  parent: GroupAccess | null,
  refusalOf: (fieldErrors: Record<string, string[]>, cause?: unknown) => Failure = refusal,
): Promise<LocatedGroup> {
  if (!mayCreateGroup(creator, parent)) throw forbidden()
  const settings = await readSettings(app.db)
  const { visibility = settings.default_group_visibility, avatar: sent, description = '', ...rest } = input
  const row = { ...rest, description, visibility }
  const refuse = (above: LocatedGroup | null) => {
    // It would be deleted with the group above soon.
    if (above !== null && above.marked_for_deletion_at !== null) throw refusalOf({ parent_id: ['is marked for deletion'] })
    if (above?.archived) throw refusalOf({ parent_id: ['is archived'] })
    assertWellFormed(row, { parent: above, settings, user: creator }, refusalOf)
  }
  refuse(parent?.group ?? null)
  const avatar = await acceptAvatar(app, sent)
  try {
    return await inTransaction(app.db, async (tx) => {
      const above = parent && (await lockGroup(tx, parent.group.id))
      refuse(above)
      return createGroupIn(tx, row, { above, avatar, owner: creator })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? refusalOf({ path: ['has already been taken'] }, error) : error
  }
}

interface Surroundings {
  above: LocatedGroup | null
  avatar: Avatar | undefined
  /** Null if it has the owners of the group above alone. */
  owner: User | null
}

/** Part of `createGroup`, and of the import of groups, in a transaction that has checked the fields. */
export async function createGroupIn(
  tx: Tx,
  row: Omit<NewGroup, 'avatar'> & { description: string; visibility: Visibility },
  { above, avatar, owner }: Surroundings,
): Promise<LocatedGroup> {
  const group = await insertNamespace(tx, { ...row, kind: 'group', owner_id: null, parent: above })
  if (avatar) {
    await updateNamespace(tx, group.id, avatar)
    await changeAvatar(tx, null, avatar)
  }
  // A bot user already owns it through the group above, and must not remain a member when its token ends.
  if (owner?.kind === 'human')
    await insertMember(tx, { namespace_id: group.id }, { user_id: owner.id, access_level: accessLevels.owner, expires_at: null })
  await publish(tx, { type: 'group_created', group })
  return { ...group, ...avatar }
}

/** The group, locked until the transaction ends. Throws 404 if it was deleted meanwhile. */
export async function lockGroup(tx: Db, id: number): Promise<LocatedGroup> {
  const locked = await findLockedNamespace(tx, id)
  if (!locked) throw notFound('Group')
  return locked
}

/** `Failed to save group {path: …}`, which clients of this endpoint expect. */
export function refusal(fieldErrors: Record<string, string[]>, cause?: unknown) {
  const messages = Object.entries(fieldErrors).map(([field, sentences]) => `:${field}=>${JSON.stringify(sentences)}`)
  return invalid(`Failed to save group {${messages.join(', ')}}`, cause)
}
