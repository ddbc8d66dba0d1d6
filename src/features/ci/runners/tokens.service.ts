/** Tokens of runners, stored as digests; and the tokens that register runners, as those who manage them see and replace them. */
import { randomBytes } from 'node:crypto'
import type { RegistersFor } from '../../../access/principals.ts'
import {
  instanceToken,
  newRegistrationToken,
  type StoredToken,
  shownToken,
  storedToken,
} from '../../../access/runners/registration-tokens.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { Credential, CredentialHolder } from '../../../domain-events/security-events.ts'
import { projectIdsOf } from './runners.queries.ts'
import { setGroupToken, setInstanceToken, setProjectToken } from './tokens.queries.ts'

/**
 * A new token of a runner.
 * @param kind `created`: of one that was created through the API. The agent knows these by their prefix, and registers nothing with them.
 */
export function newRunnerToken(kind: 'registered' | 'created'): string {
  const secret = randomBytes(15).toString('base64url')
  return kind === 'created' ? `glrt-${secret}` : secret
}

/** The token that registers runners for the group or the instance; the first time it is made. */
export async function registrationToken(
  app: App,
  place: { kind: 'instance' } | { kind: 'group'; id: number; runners_token: string | null },
): Promise<string> {
  const sealed = place.kind === 'group' ? place.runners_token : ((await instanceToken(app.db))?.sealed ?? null)
  return sealed === null ? resetRegistrationToken(app, place) : shownToken(app.secrets, place.kind, sealed)
}

/** Another token; with the old one nobody registers anything any more. Runners keep theirs. */
export async function resetRegistrationToken(app: App, place: RegistersFor): Promise<string> {
  const token = newRegistrationToken()
  await inTransaction(app.db, async (tx) => {
    await setToken(tx, place, storedToken(app.secrets, place.kind, token))
    const credential = { kind: 'runner_registration_token', id: null, name: '' } as const
    await publish(tx, { type: 'credential_created', of: holderAt(place), credential })
  })
  return token
}

function holderAt(place: RegistersFor): CredentialHolder {
  if (place.kind === 'instance') return 'instance'
  return place.kind === 'project' ? { project_id: place.id } : { namespace_id: place.id }
}

/** Where a runner belongs; one of several projects to the first of them. */
export async function holderOf(db: Db, { id, kind, namespace_id }: CiRunner): Promise<CredentialHolder> {
  if (kind === 'group' && namespace_id !== null) return { namespace_id }
  const [project_id] = kind === 'project' ? await projectIdsOf(db, id) : []
  return project_id === undefined ? 'instance' : { project_id }
}

/** As events have it. */
export function asCredential({ id, name, description }: CiRunner): Credential {
  return { kind: 'runner', id, name: description || name || `#${id}` }
}

function setToken(db: Db, place: RegistersFor, stored: StoredToken): Promise<void> {
  switch (place.kind) {
    case 'instance':
      return setInstanceToken(db, stored)
    case 'group':
      return setGroupToken(db, place.id, stored)
    case 'project':
      return setProjectToken(db, place.id, stored)
  }
}
