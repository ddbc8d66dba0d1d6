/** The accounts of people whom somebody else has signed in. */
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { domainError, readSettings } from '../../instance/settings/settings.ts'
import { type Identity, userOfIdentity } from '../identities/identities.ts'
import { createUser, findAddress } from '../users/users.ts'
import { freeUsername } from './names.ts'

/** Somebody as a provider knows them. */
export interface OutsidePerson extends Identity {
  /** What the provider is called. */
  label: string
  /** The first that can be a username becomes it. */
  usernames: ReadonlyArray<string | null>
  name: string | null
  email: string | null
  isEmailVerified: boolean
  /** Whether an account is made for somebody unknown; null: as the setting `signup_enabled` says. */
  sign_up: boolean | null
}

/**
 * The account of the person, made where there is none. One that has the same email address is never taken over: its user connects it, or an
 * administrator. Throws 403 with what the person can do.
 */
export async function accountOf(app: App, person: OutsidePerson): Promise<User> {
  return (await knownAccount(app, person)) ?? createAccount(app, person)
}

async function knownAccount(app: App, person: OutsidePerson): Promise<User | null> {
  const id = await userOfIdentity(app.db, person)
  return id === null ? null : userById(app.db, id)
}

async function createAccount(app: App, person: OutsidePerson): Promise<User> {
  const { label, provider, extern_uid } = person
  const settings = await readSettings(app.db)
  if (!(person.sign_up ?? settings.signup_enabled))
    throw refusal(`You have no account here, and ${label} creates none: ask an administrator.`)
  const email = addressOf(person)
  const wrong = domainError(settings, email)
  if (wrong !== null) throw refusal(`Email ${wrong}`)
  if (await findAddress(app.db, email)) throw addressTaken(label)
  const username = await freeUsername(app.db, [...person.usernames, email])
  const name = (person.name ?? username).replace(/\p{Cc}+/gu, ' ').slice(0, 255)
  try {
    return await createUser(app, { email, username, name, confirmed: true, provider, extern_uid })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'conflict') throw error
    // Made by another request of the same person, meanwhile; or the name or the address was taken by somebody else.
    const found = await knownAccount(app, person)
    if (found) return found
    throw (await findAddress(app.db, email)) ? addressTaken(label) : refusal('Your username has been taken meanwhile. Try again.')
  }
}

/** One that nobody has confirmed may be that of somebody else, and would pass the rules for domains. */
function addressOf({ label, email, isEmailVerified }: OutsidePerson): string {
  if (email === null) throw refusal(`${label} did not tell your email address.`)
  if (!isEmailVerified) throw refusal(`${label} has not confirmed your email address.`)
  return email
}

function addressTaken(label: string): Failure {
  return refusal(`There is an account with your email address. Sign in to it, and connect ${label} on the page of your account.`)
}

function refusal(sentence: string): Failure {
  return new Failure('forbidden', sentence)
}
