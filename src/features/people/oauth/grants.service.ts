/** Starts and ends grants of users to applications, and publishes both as events of credentials. */
import type { Kysely } from 'kysely'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { OAuthGrant, Tables } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { applicationById } from '../oauth-applications/oauth-applications.ts'
import { insertGrant, revokeGrant, revokeGrantsOf } from './oauth.queries.ts'

/** Inside a transaction: creates the grant of a user, or of an application for itself, that its tokens belong to. */
export async function openGrant(tx: Tx, row: Parameters<typeof insertGrant>[1]): Promise<OAuthGrant> {
  const grant = await insertGrant(tx, row)
  await publishGrant(tx, 'credential_created', grant)
  return grant
}

/** Inside a transaction: invalidates all tokens of the grant. Does nothing if it has already ended. */
export async function endGrant(tx: Tx, grant: OAuthGrant): Promise<void> {
  if (await revokeGrant(tx, grant.id)) await publishGrant(tx, 'credential_revoked', grant)
}

/** Ends all grants of a user to an application. */
export async function endGrantsOf(db: Kysely<Tables>, user_id: number, application_id: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const grant of await revokeGrantsOf(tx, user_id, application_id)) await publishGrant(tx, 'credential_revoked', grant)
  })
}

async function publishGrant(tx: Tx, type: 'credential_created' | 'credential_revoked', grant: OAuthGrant): Promise<void> {
  const { id, user_id, application_id, scopes } = grant
  const application = application_id === null ? null : await applicationById(tx, application_id, null)
  const of: CredentialHolder = user_id === null ? 'instance' : { user_id }
  const name = application?.name ?? (application_id === null ? 'by password' : `application ${application_id}`)
  await publish(tx, { type, of, credential: { kind: 'oauth_grant', id, name, scopes: scopes.split(' ') } })
}
