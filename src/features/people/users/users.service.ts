/** Creates users with everything that belongs to them, and presents them in full. */
import type { Insertable } from 'kysely'
import { newFeedToken } from '../../../access/feed-tokens.ts'
import { hashPassword } from '../../../access/passwords/passwords.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User, UserState, UserTable } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { customAttributesOf } from '../../instance/custom-attributes/custom-attributes.ts'
import { isExternalByDefault, readSettings, type Settings } from '../../instance/settings/settings.ts'
import { insertNamespace } from '../../namespaces/namespaces.ts'
import { acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { insertIdentity } from '../identities/identities.ts'
import { findAddress, insertEmail } from './emails.queries.ts'
import { presentUserAccount } from './users.present.ts'
import { belongingsOf, insertUser } from './users.queries.ts'
import { assertOwn, assertWellFormed, readEmail, withPublicEmail } from './users.rules.ts'
import type { UserAccount } from './users.schema.ts'

export interface NewUser {
  email: string
  username: string
  name: string
  /** Without one, nobody can sign in by password until one is set. */
  password?: string | undefined
  admin?: boolean | undefined
  external?: boolean | undefined
  can_create_group?: boolean | undefined
  private_profile?: boolean | undefined
  projects_limit?: number | undefined
  bio?: string | null | undefined
  location?: string | null | undefined
  skype?: string | undefined
  linkedin?: string | undefined
  twitter?: string | undefined
  website_url?: string | undefined
  organization?: string | null | undefined
  /** One of the confirmed addresses, or empty. */
  public_email?: string | undefined
  job_title?: string | undefined
  pronouns?: string | undefined
  provider?: string | undefined
  extern_uid?: string | undefined
  avatar?: Upload | null | undefined
  confirmed?: boolean | undefined
  /** Without a password: whether they get mail with a link to choose one. */
  is_invited?: boolean | undefined
  /** `blocked_pending_approval`: has signed up, where an administrator approves who does. */
  state?: UserState | undefined
}

/** Inside a transaction: inserts the user with the email address and the personal namespace. */
export async function insertAccount(tx: Db, row: Insertable<UserTable>): Promise<User> {
  const user = await insertUser(tx, row)
  const { id, username, email, confirmed_at, created_at } = user
  await insertEmail(tx, { user_id: id, email, is_primary: true, confirmed_at, created_at })
  await insertNamespace(tx, {
    kind: 'user',
    name: username,
    path: username,
    owner_id: id,
    parent: null,
    visibility: 'public',
    description: '',
  })
  return user
}

/** For commits by users whose address is private: the id identifies them, even after a rename. */
export function noReplyAddress({ hostname }: Config, { id, username }: Pick<User, 'id' | 'username'>): string {
  return `${id}-${username}@users.noreply.${hostname}`
}

interface NewBot extends Pick<User, 'username' | 'name' | 'external'> {
  kind?: 'bot' | 'service_account'
}

/**
 * Part of a transaction: inserts the bot user of a token, or a service account. It has no password, no namespace of its own, and an
 * address that no mail is sent to.
 */
export async function insertBot(tx: Db, config: Config, bot: NewBot): Promise<User> {
  const at = now()
  const email = `${bot.username}@noreply.${config.hostname}`
  const user = await insertUser(tx, {
    ...blankUser({ ...bot, email }),
    kind: bot.kind ?? 'bot',
    external: bot.external,
    can_create_group: false,
    projects_limit: 0,
    password_hash: null,
    confirmed_at: at,
    created_at: at,
    updated_at: at,
  })
  await insertEmail(tx, { user_id: user.id, email, is_primary: true, confirmed_at: at, created_at: at })
  return user
}

/** Creates a user with a personal namespace. Throws 409 for a name or address that is taken, 400 for an invalid one. */
export async function createUser(app: App, wanted: NewUser): Promise<User> {
  const input = { ...withPublicEmail(wanted), email: readEmail(wanted.email) }
  assertWellFormed(input)
  assertOwn(input.public_email, input.confirmed ? [input.email] : [])
  const { provider, extern_uid } = input
  const password_hash = input.password === undefined ? null : await hashPassword(input.password)
  const avatar = await acceptAvatar(app, input.avatar)
  const at = now()
  const confirmed_at = input.confirmed ? at : null
  try {
    return await inTransaction(app.db, async (tx) => {
      const user = await insertAccount(tx, {
        ...blankUser(input),
        ...chosenColumns(input),
        ...(input.state && { state: input.state }),
        ...rightsOf(input, await readSettings(tx)),
        ...avatar,
        password_hash,
        confirmed_at,
        // Nobody could confirm it without mail; then an administrator lets them in.
        confirmation_required: confirmed_at === null && app.mailer !== null,
        created_at: at,
        updated_at: at,
      })
      await changeAvatar(tx, null, avatar)
      if (provider && extern_uid) await insertIdentity(tx, user.id, { provider, extern_uid })
      await publish(tx, { type: 'user_created', user, is_invited: input.is_invited ?? false })
      return user
    })
  } catch (error) {
    throw isUniqueViolation(error) ? await conflictOf(app, input, null, error) : error
  }
}

/**
 * If both name and address are taken, the error is about the address, whichever the database reported. `besides`: the user who may have it.
 */
export async function conflictOf(app: App, { email }: { email?: string | undefined }, besides: number | null, cause: unknown) {
  const holder = email === undefined ? null : await findAddress(app.db, email)
  const what = isUniqueViolation(cause, 'identities') ? 'Identity' : holder && holder.user_id !== besides ? 'Email' : 'Username'
  return new Failure('conflict', `${what} has already been taken`, { cause })
}

/** External users can't create groups or projects. */
export const rightsOfExternals = { external: true, can_create_group: false, projects_limit: 0 }

/** The columns of a new user with defaults. */
export function blankUser({ username, email, name }: { username: string; email: string; name: string }) {
  return {
    username,
    username_key: username.toLowerCase(),
    email,
    email_key: email.toLowerCase(),
    name,
    state: 'active' as const,
    admin: false,
    external: false,
    private_profile: false,
    bio: null,
    location: null,
    skype: '',
    linkedin: '',
    twitter: '',
    website_url: '',
    organization: null,
    theme_id: 1,
    color_scheme_id: 1,
    current_sign_in_at: null,
    last_sign_in_at: null,
    last_activity_on: null,
    feed_token: newFeedToken(),
  }
}

const chosen = [
  'name',
  'admin',
  'private_profile',
  'bio',
  'location',
  'skype',
  'linkedin',
  'twitter',
  'website_url',
  'organization',
  'public_email',
  'job_title',
  'pronouns',
] as const

/** The columns that are copied from the input. */
export function chosenColumns(input: Partial<NewUser>): Partial<Pick<User, (typeof chosen)[number]>> {
  return Object.fromEntries(chosen.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])))
}

function rightsOf({ email, external, can_create_group = true, projects_limit }: NewUser, settings: Settings) {
  if (external ?? isExternalByDefault(settings, email)) return rightsOfExternals
  return { external: false, can_create_group, projects_limit: projects_limit ?? settings.default_projects_limit }
}

/** If nothing may be public, anonymous callers can't see users. */
export async function areHiddenFrom(app: App, viewer: User | null): Promise<boolean> {
  return viewer === null && (await readSettings(app.db)).restricted_visibility_levels.includes('public')
}

type Account = Presented<typeof UserAccount>

/** Users in full, for administrators and for themselves: two statements, and one for custom attributes. */
export async function presentAccounts(
  app: App,
  users: User[],
  viewer: Pick<User, 'admin'>,
  with_custom_attributes = false,
): Promise<Account[]> {
  const belongings = await belongingsOf(app.db, users)
  const ids = users.map(({ id }) => id)
  const attributes = with_custom_attributes && viewer.admin ? await customAttributesOf(app.db, 'user', ids) : null
  return users.map((user) =>
    presentUserAccount(
      app.config,
      user,
      belongings.get(user.id) ?? { identities: [], project_count: 0 },
      viewer,
      attributes ? (attributes.get(user.id) ?? []) : undefined,
    ),
  )
}

export async function presentAccount(app: App, user: User, viewer: Pick<User, 'admin'>, with_custom_attributes = false): Promise<Account> {
  const [account] = await presentAccounts(app, [user], viewer, with_custom_attributes)
  return account as Account
}
