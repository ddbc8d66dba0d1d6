/** Rules of applications: names, redirect URIs, and scopes. */
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type ApplicationScope, applicationScopes } from '../../../access/levels.ts'
import { digestOf, newToken } from '../../../access/tokens.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { OAuthApplication, Tables, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { forbidden } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { deleteApplication, insertApplication, updateApplication } from './oauth-applications.queries.ts'
import { redirectUriError } from './redirect-uris.ts'

export interface WantedApplication {
  name: string
  /** One per line, or separated by spaces. */
  redirect_uri: string
  /** Separated by spaces or commas. */
  scopes: string
}

export interface NewApplication extends WantedApplication {
  confidential: boolean
  trusted?: boolean
  /** Null for an application of the instance. */
  owner_id: number | null
  /** Whether it registered itself, so that nobody on this instance vouches for it. */
  registered?: boolean
}

/** The secret is returned only this once; null for a public application. */
export async function createApplication(
  db: Kysely<Tables>,
  { confidential, trusted = false, owner_id, registered = false, ...wanted }: NewApplication,
): Promise<{ row: OAuthApplication; secret: string | null }> {
  const secret = confidential ? newToken('gstos') : null
  const columns = {
    ...valid(wanted),
    uid: randomBytes(32).toString('hex'),
    secret_digest: secret && digestOf(secret),
    confidential,
    trusted,
    registered,
    owner_id,
    created_at: now(),
  }
  const row = await inTransaction(db, async (tx) => {
    const inserted = await insertApplication(tx, columns)
    await publishApplication(tx, 'credential_created', inserted)
    return inserted
  })
  return { row, secret }
}

/** Existing grants are not changed: for more scopes, the application has to ask again. */
export function changeApplication(
  db: Db,
  { id }: OAuthApplication,
  { trusted, ...wanted }: WantedApplication & { trusted?: boolean },
): Promise<void> {
  return updateApplication(db, id, { ...valid(wanted), ...(trusted !== undefined && { trusted }) })
}

/** The new secret of a confidential application. The old one is invalid from now on. */
export async function renewSecret(db: Kysely<Tables>, application: OAuthApplication): Promise<string> {
  const secret = newToken('gstos')
  await inTransaction(db, async (tx) => {
    await updateApplication(tx, application.id, { secret_digest: digestOf(secret) })
    await publishApplication(tx, 'credential_created', application)
  })
  return secret
}

/** Ends all grants of users to it. */
export async function removeApplication(db: Kysely<Tables>, application: OAuthApplication): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (await deleteApplication(tx, application.id)) await publishApplication(tx, 'credential_revoked', application)
  })
}

function publishApplication(
  tx: Tx,
  type: 'credential_created' | 'credential_revoked',
  { id, name, scopes, owner_id }: OAuthApplication,
): Promise<void> {
  const of: CredentialHolder = owner_id === null ? 'instance' : { user_id: owner_id }
  return publish(tx, { type, of, credential: { kind: 'oauth_application', id, name, scopes: wordsOf(scopes) } })
}

const maxUris = 20

function valid({ name, redirect_uri, scopes }: WantedApplication) {
  const uris = wordsOf(redirect_uri)
  const wanted = [...new Set(wordsOf(scopes.replaceAll(',', ' ')))]
  const given = applicationScopes.filter((scope) => wanted.includes(scope))
  assertValid({
    name: blankError(name) ?? lengthError(name, 255) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : null),
    redirect_uri: urisError(uris) ?? lengthError(redirect_uri, 4_000),
    scopes: wanted.length === 0 ? "can't be blank" : given.length < wanted.length ? 'can only contain available scopes' : null,
  })
  return { name: name.trim(), redirect_uris: uris.join('\n'), scopes: given.join(' ') }
}

function urisError(uris: string[]): string | null {
  if (uris.length === 0) return "can't be blank"
  if (uris.length > maxUris) return `has too many addresses (maximum is ${maxUris})`
  return uris.map(redirectUriError).find((error) => error !== null) ?? null
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

export function redirectUrisOf({ redirect_uris }: Pick<OAuthApplication, 'redirect_uris'>): string[] {
  return wordsOf(redirect_uris)
}

export function scopesOfApplication({ scopes }: Pick<OAuthApplication, 'scopes'>): ApplicationScope[] {
  return wordsOf(scopes) as ApplicationScope[]
}

/** As `createApplication`, for a user of their own accord. Throws 403 if the settings leave that to administrators. */
export async function createOwnApplication(db: Kysely<Tables>, user: User, wanted: WantedApplication & { confidential: boolean }) {
  if (user.kind !== 'human' || !(await mayCreateOwn(db))) throw forbidden('Applications are created by administrators here.')
  return createApplication(db, { ...wanted, owner_id: user.id })
}

export async function mayCreateOwn(db: Db): Promise<boolean> {
  return (await readSettings(db)).user_oauth_applications
}
