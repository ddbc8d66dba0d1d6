/** The rules of users: what a name may be, and what comes with one. */
import { hashPassword } from '../../access/passwords.ts'
import type { App } from '../../app.ts'
import { inTransaction, isTaken } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { complainOfBlank, complainOfLength, refuseWith } from '../complaints.ts'
import { insertNamespace } from '../namespaces/namespaces.service.ts'
import { complainOfPath } from '../namespaces/paths.ts'
import { insertIdentity, insertUser, isEmailTaken } from './users.queries.ts'

export interface NewUser {
  email: string
  username: string
  name: string
  /** Without one nobody can sign in by password until it is set. */
  password?: string | undefined
  admin?: boolean | undefined
  external?: boolean | undefined
  can_create_group?: boolean | undefined
  private_profile?: boolean | undefined
  projects_limit?: number | undefined
  bio?: string | undefined
  location?: string | undefined
  skype?: string | undefined
  linkedin?: string | undefined
  twitter?: string | undefined
  website_url?: string | undefined
  organization?: string | undefined
  provider?: string | undefined
  extern_uid?: string | undefined
  confirmed?: boolean | undefined
}

/** Creates a user and his personal namespace. Throws 409 for a name or address that is taken, 400 for one that can't be. */
export async function createUser(app: App, input: NewUser): Promise<User> {
  refuseMalformed(input)
  const password_hash = input.password === undefined ? null : await hashPassword(input.password)
  const at = now()
  try {
    return await inTransaction(app.db, async (tx) => {
      const user = await insertUser(tx, {
        ...defaults(input),
        password_hash,
        confirmed_at: input.confirmed ? at : null,
        created_at: at,
        updated_at: at,
      })
      await insertNamespace(tx, {
        kind: 'user',
        name: user.username,
        path: user.username,
        owner_id: user.id,
        parent: null,
        visibility: 'public',
        description: '',
      })
      if (input.provider && input.extern_uid) await insertIdentity(tx, user.id, { provider: input.provider, extern_uid: input.extern_uid })
      return user
    })
  } catch (error) {
    throw isTaken(error) ? await conflictOf(app, input, error) : error
  }
}

/** Of several things that are taken the address is named, whichever the database noticed first. */
async function conflictOf(app: App, { email }: NewUser, cause: unknown): Promise<Failure> {
  const what = isTaken(cause, 'identities') ? 'Identity' : (await isEmailTaken(app.db, email)) ? 'Email' : 'Username'
  return new Failure('conflict', `${what} has already been taken`, { cause })
}

const longestText = 255
const password_chars = { least: 8, most: 128 }
const mostProjects = 2_147_483_647

function refuseMalformed({ username, email, password, name, bio, projects_limit = 0 }: NewUser): void {
  refuseWith({
    username: complainOfPath(username, 'namespace', null),
    email: /^[^@\s<>]+@[^@\s<>]+$/.test(email) ? complainOfLength(email, longestText) : 'is invalid',
    name: complainOfBlank(name) ?? complainOfLength(name, longestText),
    bio: complainOfLength(bio, longestText),
    password: password === undefined ? null : complainOfPassword(password),
    projects_limit: complainOfLimit(projects_limit),
  })
}

function complainOfPassword(password: string): string | null {
  const { least, most } = password_chars
  return password.length < least ? `is too short (minimum is ${least} characters)` : complainOfLength(password, most)
}

function complainOfLimit(limit: number): string | null {
  if (limit < 0) return 'must be greater than or equal to 0'
  return limit > mostProjects ? `must be less than or equal to ${mostProjects}` : null
}

function defaults(input: NewUser) {
  return {
    username: input.username,
    username_key: input.username.toLowerCase(),
    email: input.email,
    email_key: input.email.toLowerCase(),
    name: input.name,
    state: 'active' as const,
    admin: input.admin ?? false,
    external: input.external ?? false,
    can_create_group: input.can_create_group ?? true,
    private_profile: input.private_profile ?? false,
    projects_limit: input.projects_limit ?? 100_000,
    bio: input.bio ?? null,
    location: input.location ?? null,
    skype: input.skype ?? '',
    linkedin: input.linkedin ?? '',
    twitter: input.twitter ?? '',
    website_url: input.website_url ?? '',
    organization: input.organization ?? null,
    theme_id: 1,
    color_scheme_id: 1,
    current_sign_in_at: null,
    last_sign_in_at: null,
    last_activity_on: null,
  }
}
