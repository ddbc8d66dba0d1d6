/** Finding the user behind a name or a number, and behind what a git client sends. */
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import type { User } from '../db/tables.ts'
import { asId } from './find.ts'
import { passwordMatches } from './passwords.ts'
import { type Credential, findToken } from './tokens.ts'

const userById = prepared((db: Db, id: number) => db.selectFrom('users').selectAll().where('id', '=', id))
const userByName = prepared((db: Db, key: string) => db.selectFrom('users').selectAll().where('username_key', '=', key))

async function userByLogin(db: Db, key: string): Promise<User | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([eb('username_key', '=', key), eb('email_key', '=', key)]))
    .executeTakeFirst()
}

/** By id when the text is a number, by user name otherwise. */
export async function findUser(db: Db, idOrName: string): Promise<User | null> {
  const id = asId(idOrName)
  const [user] = id === null ? await userByName(db, idOrName.toLowerCase()) : await userById(db, id)
  return user ?? null
}

/**
 * Who signs in with this name and secret: a token under any name, or the password of a user named by name or email.
 * A password is worth every scope but sudo. Null when it is nobody.
 */
export async function signIn(db: Db, login: string, secret: string): Promise<Credential | null> {
  const token = await findToken(db, secret)
  if (token) return token.state === 'valid' ? token : null
  const key = login.toLowerCase()
  // No text in the database holds a NUL, and PostgreSQL won't even be asked for one.
  const user = key.includes('\0') ? undefined : await userByLogin(db, key)
  const right = await passwordMatches(user?.password_hash ?? null, secret)
  return right && user ? { user, scopes: ['api', 'read_user', 'read_repository'] } : null
}
