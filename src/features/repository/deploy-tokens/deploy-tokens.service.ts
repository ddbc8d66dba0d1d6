/** Deploy tokens, with which machines fetch one project, or those of one group. They have no user. */
import type { Kysely } from 'kysely'
import { digestOf, newToken } from '../../../access/tokens.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { DeployToken, Instant, Project, Tables } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { readScopes, textErrors } from '../../spaces/access-tokens/access-tokens.ts'
import { ancestry, deleteDeployToken, deployTokensByDigest, insertDeployToken, type Place } from './deploy-tokens.queries.ts'

/**
 * The scopes that clients know. `read_repository` is for git and large files; the others allow nothing, as there are no registries, and are
 * accepted because clients request them together.
 */
export const deployScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const

export interface WantedDeployToken {
  name: string
  scopes: readonly string[]
  expires_at?: Instant | null | undefined
  username?: string | null | undefined
}

/** Creates a token and returns it, which is the only time it can be seen. Throws 400 for invalid values. */
export async function createDeployToken(
  db: Kysely<Tables>,
  place: Place,
  wanted: WantedDeployToken,
): Promise<{ token: string; row: DeployToken }> {
  const { name, expires_at = null } = wanted
  const username = wanted.username || null
  const { given, fieldError } = readScopes(wanted.scopes, deployScopes)
  assertValid({ name: textErrors({ name }).name, scopes: fieldError, username: username === null ? null : usernameError(username) })
  const token = newToken('gstdt')
  const row = await inTransaction(db, async (tx) => {
    const inserted = await insertDeployToken(tx, {
      project_id: null,
      namespace_id: null,
      ...place,
      name,
      username,
      digest: digestOf(token),
      scopes: given.join(' '),
      expires_at,
      created_at: now(),
    })
    await publish(tx, { type: 'credential_created', ...asCredential(inserted) })
    return inserted
  })
  return { token, row }
}

/** It is invalid from now on. */
export async function removeDeployToken(db: Kysely<Tables>, row: DeployToken): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (await deleteDeployToken(tx, row.id)) await publish(tx, { type: 'credential_revoked', ...asCredential(row) })
  })
}

function asCredential({ id, name, scopes, project_id, namespace_id }: DeployToken) {
  const of: CredentialHolder = project_id !== null ? { project_id } : { namespace_id: namespace_id as number }
  return { of, credential: { kind: 'deploy_token' as const, id, name, scopes: scopes.split(' ') } }
}

/** The username goes into URLs, and into the log. */
function usernameError(username: string): string | null {
  if (!/^[a-zA-Z0-9.+_-]+$/.test(username)) return "can contain only letters, digits, '_', '-', '+', and '.'"
  return lengthError(username, 255)
}

/** The username to send with the token. */
export function usernameOf({ username, id }: DeployToken): string {
  return username ?? `gitstead+deploy-token-${id}`
}

export function hasExpired({ expires_at }: DeployToken): boolean {
  return expires_at !== null && expires_at <= now()
}

/** The token with this username; null if it is unknown, deleted or expired, or has another username. */
export async function findDeployToken(db: Db, login: string, secret: string): Promise<DeployToken | null> {
  const [token] = await deployTokensByDigest(db, digestOf(secret))
  return token && usernameOf(token) === login && !hasExpired(token) ? token : null
}

/** Whether the token is valid for this project, in its current group. */
export async function isForProject(db: Db, token: DeployToken, { id, namespace_id }: Project): Promise<boolean> {
  if (token.namespace_id === null) return token.project_id === id
  return (await ancestry(db, namespace_id, token.namespace_id)).length > 0
}

export function readsRepositories({ scopes }: DeployToken): boolean {
  return scopes.split(' ').includes('read_repository')
}
