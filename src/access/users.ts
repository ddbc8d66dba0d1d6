/** Finds users by id, by name, and by the credentials a git client sends. */
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { User } from '../db/tables.ts'
import { Failure, forbidden, notFound } from '../failure.ts'
import { networkOf } from '../limits/network.ts'
import { noteActivity } from './activity.ts'
import { asId } from './find.ts'
import { passwordMatches } from './passwords/passwords.ts'
import { type AdmittedAttempt, admitAttempt } from './passwords/rate-limit.ts'
import type { OAuthHolder, Person, TokenHolder } from './principals.ts'
import { holderOf } from './token-holders.ts'
import { kindOfToken } from './tokens.ts'

const rowsById = prepared((db: Db, id: number) => db.selectFrom('users').selectAll().where('id', '=', id))
const userByName = prepared((db: Db, key: string) => db.selectFrom('users').selectAll().where('username_key', '=', key))

async function userByLogin(db: Db, key: string): Promise<User | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([eb('username_key', '=', key), eb('email_key', '=', key)]))
    .executeTakeFirst()
}

export async function userById(db: Db, id: number): Promise<User | null> {
  return (await rowsById(db, id))[0] ?? null
}

/** By id when the text is a number, by user name otherwise. */
export async function findUser(db: Db, idOrName: string): Promise<User | null> {
  const id = asId(idOrName)
  const [user] = id === null ? await userByName(db, idOrName.toLowerCase()) : await rowsById(db, id)
  return user ?? null
}

/** By user name alone, whatever it looks like. Throws 404 if there is none. */
export async function requireUserNamed(db: Db, username: string): Promise<User> {
  const [user] = await userByName(db, username.toLowerCase())
  if (!user) throw notFound('User')
  return user
}

/** The user with this id, as a path has it: names are not accepted. Throws 404 if there is none. */
export async function requireUser(db: Db, number: number | string): Promise<User> {
  const [user] = await rowsById(db, asId(String(number)) ?? 0)
  if (!user) throw notFound('User')
  return user
}

/** Throws 403 for bot users and the Ghost User: they don't sign in, and have no keys or addresses. */
export function requirePerson({ kind }: Pick<User, 'kind'>): void {
  if (kind !== 'human') throw forbidden('This is for the accounts of people.')
}

export interface SignInOptions {
  /** The address of the client, for the rate limit. */
  address?: string
  /** Called before a password is checked; throws to refuse it. */
  beforePassword?: () => Promise<void>
  elsewhere?: PasswordCheck | undefined
}

/** Who has this name and password in a directory; null if they are wrong there, too. */
export type PasswordCheck = (login: string, password: string) => Promise<User | null>

/**
 * Who has these credentials: a token under any name, or a password with a user name or email address. A password has every
 * scope but sudo. Null if they are wrong. Throws 403 for an expired password, and 429 after too many failures.
 */
export async function signIn(
  db: Db,
  login: string,
  secret: string,
  options: SignInOptions = {},
): Promise<Person | TokenHolder | OAuthHolder | null> {
  const found = await holderOf(db, secret)
  if (found) return found.state === 'valid' && found.principal.kind !== 'application' ? found.principal : null
  // Text with the form of a token is not checked as a password: a machine with an old token is no attack.
  if (kindOfToken(secret) !== null) return null
  await options.beforePassword?.()
  const user = await signInByPassword(db, login, secret, options.address, options.elsewhere)
  if (!user) return null
  if (passwordHasExpired(user)) throw new Failure('forbidden', 'Your password has expired. Sign in with a browser to choose another.')
  await noteActivity(db, user)
  return { kind: 'person', user, scopes: ['api', 'read_user', 'read_repository'] }
}

/**
 * The user with this name and password; null if they are wrong, which costs the same statements and time for unknown users as
 * for blocked ones. Throws 429 as `signIn` does. A password that was right in the last minute costs one statement.
 * @param elsewhere asked for a password that is wrong here
 */
export async function signInByPassword(
  db: Db,
  login: string,
  password: string,
  address: string | null = null,
  elsewhere?: PasswordCheck,
): Promise<User | null> {
  const key = login.trim().toLowerCase()
  // PostgreSQL refuses parameters with NUL.
  const user = key.includes('\0') ? undefined : await userByLogin(db, key)
  let attempt: AdmittedAttempt | undefined
  const right = await passwordMatches(user?.password_hash ?? null, password, {
    async before() {
      attempt = await admitAttempt(db, { login, address }, () => hasSignedInFrom(db, user?.id ?? 0, address))
    },
    onWrong: async () => attempt?.wasWrong(),
    onRight: async () => attempt?.wasRight(),
  })
  if (right && user) return user
  // After the check here, and outside of its queue: a directory may be slow. Until it says so, the attempt counts as a wrong one.
  const found = (await elsewhere?.(login.trim(), password)) ?? null
  if (found) await attempt?.wasRight()
  return found
}

/** Whether one of their sessions was opened in the network of this address. */
async function hasSignedInFrom(db: Db, user_id: number, address: string | null): Promise<boolean> {
  const sessions = db
    .selectFrom('sessions')
    .select('address')
    .distinct()
    .where('user_id', '=', user_id)
    .where('impersonator_id', 'is', null)
  const network = address === null ? null : networkOf(address)
  return (await sessions.execute()).some(({ address: known }) => known !== null && networkOf(known) === network)
}

/** Whether the password only allows to choose a new one. */
export function passwordHasExpired({ password_expires_at }: Pick<User, 'password_expires_at'>): boolean {
  return password_expires_at !== null && password_expires_at <= now()
}
