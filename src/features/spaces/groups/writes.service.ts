/** Changes and removes groups, with everything below them. */
import type { LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid } from '../../../failure.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { renameNamespace, updateNamespace } from '../../namespaces/namespaces.ts'
import { acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { removeProjectsIn } from '../projects/projects.ts'
import { avatarsBelow, deleteGroup, findLocated, projectsBelow, visibilitiesIn } from './groups.queries.ts'
import { assertWellFormed, contentError, type GroupFields, type Parent } from './groups.rules.ts'
import { lockGroup } from './groups.service.ts'

export interface GroupChange extends GroupFields {
  lfs_enabled?: boolean | undefined
  request_access_enabled?: boolean | undefined
  require_two_factor_authentication?: boolean | undefined
  two_factor_grace_period?: number | undefined
  /** Null removes it. */
  avatar?: Upload | null | undefined
}

/** Changes a group; a new path also changes those of everything below it. Throws 400 with the errors. */
export async function changeGroup(app: App, group: LocatedGroup, change: GroupChange, user: User): Promise<LocatedGroup> {
  const settings = await readSettings(app.db)
  const { avatar: sent, ...fields } = change
  const refuse = (locked: LocatedGroup, parent: Parent) => assertWellFormed(changed(locked, fields), { parent, settings, user }, invalid)
  refuse(group, await parentOf(app.db, group))
  const avatar = await acceptAvatar(app, sent)
  try {
    await inTransaction(app.db, async (tx) => {
      const locked = await lockGroup(tx, group.id)
      refuse(locked, await parentOf(tx, locked))
      const { path, ...columns } = changed(locked, fields)
      if (columns.visibility !== undefined) {
        const fieldError = contentError(columns.visibility, await visibilitiesIn(tx, locked.id))
        if (fieldError !== null) throw invalid({ visibility_level: [fieldError] })
      }
      await updateNamespace(tx, locked.id, { ...columns, ...avatar, updated_at: now() })
      const { visibility: after, require_two_factor_authentication: isRequired } = columns
      if (after !== undefined)
        await publish(tx, { type: 'group_visibility_changed', group_id: locked.id, before: locked.visibility, after })
      if (isRequired !== undefined) await publish(tx, { type: 'group_second_factor_changed', group_id: locked.id, isRequired })
      if (path !== undefined) await rename(tx, locked, path)
      await changeAvatar(tx, locked, avatar)
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid({ path: ['has already been taken'] }, error) : error
  }
  return findLocated(app.db, group.id)
}

/** Changes only the path of a group. Fails on the unique route if it is taken. */
export function renameGroup(app: App, id: number, path: string): Promise<void> {
  return inTransaction(app.db, async (tx) => rename(tx, await lockGroup(tx, id), path))
}

async function rename(tx: Tx, { id, path: before, full_path }: LocatedGroup, path: string): Promise<void> {
  await renameNamespace(tx, id, path)
  await publish(tx, { type: 'group_renamed', group_id: id, before: { path: before, full_path } })
}

/** The sent fields that differ from the present ones: unchanged values are kept even if they are no longer allowed. */
function changed(group: LocatedGroup, fields: Omit<GroupChange, 'avatar'>) {
  const differing = Object.entries(fields).filter(([name, value]) => value !== undefined && value !== group[name as keyof typeof fields])
  return Object.fromEntries(differing) as Partial<Pick<LocatedGroup, keyof typeof fields>>
}

async function parentOf(db: Db, group: LocatedGroup): Promise<LocatedGroup | null> {
  return group.parent_id === null ? null : findLocated(db, group.parent_id)
}

/** The group and everything below it are gone for everyone when this returns; jobs remove the files of the projects. */
export async function removeGroup(app: App, group: LocatedGroup): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const locked = await lockGroup(tx, group.id)
    await removeSpaceIn(tx, locked.id)
  })
}

/** As `removeGroup`, for a locked namespace of any kind, inside a transaction that removes more. */
export async function removeSpaceIn(tx: Tx, namespaceId: number): Promise<void> {
  await removeProjectsIn(tx, await projectsBelow(tx, namespaceId))
  await publish(tx, { type: 'namespace_removed', namespace_id: namespaceId })
  await abandonAll(tx, await avatarsBelow(tx, namespaceId))
  await deleteGroup(tx, namespaceId)
}
