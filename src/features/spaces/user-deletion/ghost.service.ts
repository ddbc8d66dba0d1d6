/** The Ghost User, who owns the contributions of deleted users: one for the whole instance, created when first needed. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { blankUser, insertAccount } from '../../people/users/users.ts'
import { findGhost } from './user-deletion.queries.ts'

/** Named `ghost`, or `ghost1` and so on if the username, path or address is taken. */
export async function ghostUser(app: App): Promise<User> {
  for (let number = 0; ; number++) {
    const known = await findGhost(app.db)
    if (known) return known
    try {
      return await createGhost(app, `ghost${number || ''}`)
    } catch (error) {
      // The name is taken, or another process has just created the Ghost User.
      if (!isUniqueViolation(error)) throw error
    }
  }
}

/** Created blocked, though shown as active: no password, key, token or sudo ever authenticates as the Ghost User. */
function createGhost(app: App, username: string): Promise<User> {
  const at = now()
  const email = `${username}@example.com`
  return inTransaction(app.db, (tx) => {
    return insertAccount(tx, {
      ...blankUser({ username, email, name: 'Ghost User' }),
      bio: 'Has what users have left who were deleted. Nobody can sign in as this user or remove it.',
      kind: 'ghost',
      state: 'blocked',
      can_create_group: false,
      projects_limit: 0,
      password_hash: null,
      confirmed_at: at,
      created_at: at,
      updated_at: at,
    })
  })
}
