/** The rules of the lists of users that strategies of feature flags name. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { FlagUserList } from '../../../db/tables.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { takeNumbers } from '../../spaces/numbering/numbering.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { serveChanged } from './clients.service.ts'
import { idsError } from './strategies.ts'
import { deleteUserList, insertUserList, isUsed, updateUserList } from './user-lists.queries.ts'

export interface UserListInput {
  name: string
  user_xids: string
}

/** Throws 400 for a name that is taken, and for what can't be one. */
export async function createUserList(app: App, project_id: number, { name, user_xids }: UserListInput): Promise<FlagUserList> {
  check({ name, user_xids })
  try {
    return await inTransaction(app.db, async (tx) => {
      const iid = await takeNumbers(tx, { project_id }, 'flag_user_list', 1)
      const at = now()
      return insertUserList(tx, { iid, project_id, name, user_xids, created_at: at, updated_at: at })
    })
  } catch (error) {
    throw taken(error)
  }
}

/** Keeps every field that isn't given. Throws 400 as `createUserList`, 404 if it has been deleted meanwhile. */
export async function changeUserList(app: App, list: FlagUserList, changes: Partial<UserListInput>): Promise<FlagUserList> {
  const { name, user_xids } = { ...list, ...changes }
  check({ name, user_xids })
  try {
    return await inTransaction(app.db, async (tx) => {
      await loadLockedProject(tx, list.project_id)
      const changed = await updateUserList(tx, list.id, { name, user_xids, updated_at: now() })
      if (!changed) throw missing()
      await serveChanged(tx, list.project_id)
      return changed
    })
  } catch (error) {
    throw taken(error)
  }
}

/** Throws 409 while a strategy names it: the flag would be on for nobody without a word of it. */
export async function removeUserList(app: App, { id, project_id }: FlagUserList): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    if (await isUsed(tx, id)) throw new Failure('conflict', 'User list is associated with a strategy')
    if (!(await deleteUserList(tx, id))) throw missing()
  })
}

function check({ name, user_xids }: UserListInput): void {
  assertValid({ name: blankError(name) ?? lengthError(name, 255), user_xids: user_xids === '' ? null : idsError(user_xids) })
}

function taken(error: unknown): unknown {
  return isUniqueViolation(error) ? invalid({ name: ['has already been taken'] }, error) : error
}
