/** The accounts of people who sign in through a provider. */
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { domainError, readSettings } from '../../instance/settings/settings.ts'
import { type Identity, userOfIdentity } from '../identities/identities.ts'
import { createUser, findAddress } from '../users/users.ts'
import { freeUsername } from './names.ts'

/** A person as the provider describes them. */
export interface OutsidePerson extends Identity {
  /** Display name of the provider. */
  label: string
  /** The first valid one becomes the username. */
  usernames: ReadonlyArray<string | null>
  name: string | null
  email: string | null
  isEmailVerified: boolean
  /** Whether to create an account for an unknown person; null: as the setting `signup_enabled` says. */
  sign_up: boolean | null
}

/**
 * The account of the person, created if there is none. An account with the same email address is never taken over: its user or an
 * administrator must connect it. Throws 403 with advice for the person.
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
    // A concurrent request of the same person may have created it; or someone else has taken the name or address.
    const found = await knownAccount(app, person)
    if (found) return found
    throw (await findAddress(app.db, email)) ? addressTaken(label) : refusal('Your username has been taken meanwhile. Try again.')
  }
}

/** An unconfirmed address may belong to someone else, and would bypass the rules for domains. */
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
