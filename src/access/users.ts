/** Finding the user behind a name or a number, and behind what a git client sends. */
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { User } from '../db/tables.ts'
import { Failure, notFound } from '../failure.ts'
import { noteActivity } from './activity.ts'
import { asId } from './find.ts'
import { passwordMatches } from './passwords.ts'
import { assertNotLimited, noteFailure } from './rate-limit.ts'
import { type Credential, findToken, hasTokenForm } from './tokens.ts'

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

/** The user with this number, as a path has it: a name is none. Throws 404 where there is none. */
export async function requireUser(db: Db, number: number | string): Promise<User> {
  const [user] = await userById(db, asId(String(number)) ?? 0)
  if (!user) throw notFound('User')
  return user
}

export interface SignInOptions {
  /** Where the guesses come from, for who counts them. */
  address?: string
  /** Called before a password is looked at; may refuse it by throwing. */
  beforePassword?: () => Promise<void>
}

/**
 * Who signs in with this name and secret: a token under any name, or the password of a user named by name or email.
 * A password is worth every scope but sudo. Null when it is nobody. Throws 403 for a password that has run out, and 429 for
 * who has guessed too often.
 */
export async function signIn(db: Db, login: string, secret: string, options: SignInOptions = {}): Promise<Credential | null> {
  const token = await findToken(db, secret)
  if (token) return token.state === 'valid' ? token : null
  // What has the form of a token is nobody's password: a machine with an old one is no guesser.
  if (hasTokenForm(secret)) return null
  await options.beforePassword?.()
  const user = await signInByPassword(db, login, secret, options.address)
  if (!user) return null
  if (passwordHasExpired(user)) throw new Failure('forbidden', 'Your password has expired. Sign in with a browser to choose another.')
  await noteActivity(db, user)
  return { user, scopes: ['api', 'read_user', 'read_repository'] }
}

/**
 * Whose name and password these are. Null when they are nobody's; that costs the same statements and takes as long as a wrong
 * password of somebody, blocked or not. Throws 429 as `signIn` does. A password that was right in the last minute costs one
 * statement.
 */
export async function signInByPassword(db: Db, login: string, password: string, address: string | null = null): Promise<User | null> {
  const key = login.trim().toLowerCase()
  // No text in the database holds a NUL, and PostgreSQL won't even be asked for one.
  const user = key.includes('\0') ? undefined : await userByLogin(db, key)
  const attempt = { login, address }
  const right = await passwordMatches(user?.password_hash ?? null, password, {
    before: () => assertNotLimited(db, attempt),
    onWrong: () => noteFailure(db, attempt),
  })
  return right && user ? user : null
}

/** Whether the password is good for nothing but choosing another. */
export function passwordHasExpired({ password_expires_at }: Pick<User, 'password_expires_at'>): boolean {
  return password_expires_at !== null && password_expires_at <= now()
}
