/** Tokens of runners, stored as digests; and registration tokens, which those who manage a place can see and replace. */
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
 * @param kind `created`: for one created through the API. Agents recognize these by their prefix, and don't register with them
 */
export function newRunnerToken(kind: 'registered' | 'created'): string {
  const secret = randomBytes(15).toString('base64url')
  return kind === 'created' ? `glrt-${secret}` : secret
}

/** The registration token of the group or the instance; created when it is first requested. */
export async function registrationToken(
  app: App,
  place: { kind: 'instance' } | { kind: 'group'; id: number; runners_token: string | null },
): Promise<string> {
  const sealed = place.kind === 'group' ? place.runners_token : ((await instanceToken(app.db))?.sealed ?? null)
  return sealed === null ? resetRegistrationToken(app, place) : shownToken(app.secrets, place.kind, sealed)
}

/** Replaces the token; the old one can't register runners any more. Existing runners keep theirs. */
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

/** The place a runner belongs to; if it has several projects, the first. */
export async function holderOf(db: Db, { id, kind, namespace_id }: CiRunner): Promise<CredentialHolder> {
  if (kind === 'group' && namespace_id !== null) return { namespace_id }
  const [project_id] = kind === 'project' ? await projectIdsOf(db, id) : []
  return project_id === undefined ? 'instance' : { project_id }
}

/** In the format of events. */
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
