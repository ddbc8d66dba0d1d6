/** Finds users by id, by name, and by the credentials that a git client sends. */
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { User } from '../db/tables.ts'
import { Failure, forbidden, notFound } from '../failure.ts'
import { noteActivity } from './activity.ts'
import { asId } from './find.ts'
import { isKnownNetwork } from './passwords/known-networks.ts'
import { maxPassword_chars, passwordMatches } from './passwords/passwords.ts'
import { type AdmittedAttempt, admitAttempt } from './passwords/rate-limit.ts'
import type { OAuthHolder, Person, TokenHolder } from './principals.ts'
import { holderOf } from './token-holders.ts'
import { kindOfToken } from './tokens.ts'

const rowsById = prepared((db: Db, id: number) => db.selectFrom('users').selectAll().where('id', '=', id))
const userByName = prepared((db: Db, key: string) => db.selectFrom('users').selectAll().where('username_key', '=', key))

/** Finds a user by username or email address, as typed. */
export async function userByLogin(db: Db, login: string): Promise<User | undefined> {
  const key = login.trim().toLowerCase()
  // PostgreSQL rejects parameters that contain NUL.
  if (key.includes('\0')) return undefined
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([eb('username_key', '=', key), eb('email_key', '=', key)]))
    .executeTakeFirst()
}

export async function userById(db: Db, id: number): Promise<User | null> {
  return (await rowsById(db, id))[0] ?? null
}

/** Finds a user by id if the text is a number, otherwise by username. */
export async function findUser(db: Db, idOrName: string): Promise<User | null> {
  const id = asId(idOrName)
  const [user] = id === null ? await userByName(db, idOrName.toLowerCase()) : await rowsById(db, id)
  return user ?? null
}

/** Finds a user by username only, even if it looks like a number. Throws 404 if there is none. */
export async function requireUserNamed(db: Db, username: string): Promise<User> {
  const [user] = await userByName(db, username.toLowerCase())
  if (!user) throw notFound('User')
  return user
}

/** The user with this id from a path: usernames are not accepted. Throws 404 if there is none. */
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
  /** IP address of the client, for the rate limit. */
  address?: string
  /** Called before a password is checked; throws to prevent that. */
  beforePassword?: () => Promise<void>
  elsewhere?: PasswordCheck | undefined
}

/** Looks up a username and password in a directory; returns null if they are wrong there, too. */
export type PasswordCheck = (login: string, password: string) => Promise<User | null>

/**
 * The user of these credentials: a token with any username, or a password with a username or email address. A password has every scope but
 * sudo. Null if they are wrong. Throws as `signInByPasswordAlone` does if the password alone isn't enough, and 429 after too many failures.
 */
export async function signIn(
  db: Db,
  login: string,
  secret: string,
  options: SignInOptions = {},
): Promise<Person | TokenHolder | OAuthHolder | null> {
  const found = await holderOf(db, secret)
  if (found) return found.state === 'valid' && found.principal.kind !== 'application' ? found.principal : null
  // Text in the format of a token is not checked as a password: a machine with an old token is not an attack.
  if (kindOfToken(secret) !== null) return null
  await options.beforePassword?.()
  const user = await signInByPasswordAlone(db, login, secret, options.address, options.elsewhere)
  if (!user) return null
  await noteActivity(db, user)
  return { kind: 'person', user, scopes: ['api', 'read_user', 'read_repository'] }
}

/**
 * As `signInByPassword`, for programs that send only a password, such as git. Throws 403 for an expired password or an unconfirmed address,
 * and 401 if the account has a second factor.
 */
export async function signInByPasswordAlone(
  db: Db,
  login: string,
  password: string,
  address: string | null = null,
  elsewhere?: PasswordCheck,
): Promise<User | null> {
  const user = await signInByPassword(db, login, password, address, elsewhere)
  if (!user || passwordSuffices(user)) return user
  if (user.confirmation_required)
    throw new Failure('forbidden', 'Confirm your email address first: follow the link in the message that was sent to it.')
  if (passwordHasExpired(user)) throw new Failure('forbidden', 'Your password has expired. Sign in with a browser to choose another.')
  throw new Failure('unauthorized', needsToken)
}

/** The one rule for whether a password alone is enough. */
export function passwordSuffices(user: Pick<User, 'password_expires_at' | 'two_factor_enabled' | 'confirmation_required'>): boolean {
  return !passwordHasExpired(user) && !user.two_factor_enabled && !user.confirmation_required
}

/** On this status git clients forget the password and show the message. */
const needsToken =
  'HTTP Basic: Access denied\nYour account has a second factor: use a personal access token in the place of your password.\n' +
  'Create one in your settings, at /profile/personal_access_tokens.'

/**
 * The user with this name and password; null if they are wrong, which takes the same statements and time for unknown users as for blocked
 * ones. Throws 429 as `signIn` does. A password that was right in the last minute takes one statement.
 * @param elsewhere called for a password that is wrong here
 */
export async function signInByPassword(
  db: Db,
  login: string,
  password: string,
  address: string | null = null,
  elsewhere?: PasswordCheck,
): Promise<User | null> {
  const user = await userByLogin(db, login)
  const admit = () => admitAttempt(db, { login, address, user_id: user?.id ?? null }, () => isKnownNetwork(db, user?.id ?? 0, address))
  // No password is this long, so it needs no hash, whatever the login.
  if (password.length > maxPassword_chars) {
    await (await admit()).wasWrong()
    return null
  }
  let attempt: AdmittedAttempt | undefined
  const right = await passwordMatches(user?.password_hash ?? null, password, {
    async before() {
      attempt = await admit()
    },
    onWrong: async () => (elsewhere ? undefined : attempt?.wasWrong()),
    onRight: async () => attempt?.wasRight(),
  })
  if (right && user) return user
  if (!elsewhere) return null
  // Called after the check here, and outside of its queue, since a directory may be slow. Until it answers, the attempt counts at its
  // login.
  const found = await elsewhere(login.trim(), password)
  await (found ? attempt?.wasRight() : attempt?.wasWrong())
  return found
}

/** Whether the password can only be used to choose a new one. */
export function passwordHasExpired({ password_expires_at }: Pick<User, 'password_expires_at'>): boolean {
  return password_expires_at !== null && password_expires_at <= now()
}
