/** Tokens of runners, stored as digests; and the tokens that register runners, sealed where they are shown again. */
import { randomBytes } from 'node:crypto'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import type { PlaceKind } from '../../../http/declare/places.ts'
import { runnerByDigest } from './runners.queries.ts'
import { groupOfToken, instanceToken, projectOfToken, setGroupToken, setInstanceToken, setProjectToken } from './tokens.queries.ts'

const sealedFor = { instance: 'settings.runners_registration_token', group: 'namespaces.runners_token' } as const

/**
 * A new token of a runner.
 * @param kind `created`: of one that was created through the API. The agent knows these by their prefix, and registers nothing with them.
 */
export function newRunnerToken(kind: 'registered' | 'created'): string {
  const secret = randomBytes(15).toString('base64url')
  return kind === 'created' ? `glrt-${secret}` : secret
}

/** The runner with this token. Throws 403 where there is none, and for tokens that have expired. */
export async function requireRunner(db: Db, token: string): Promise<CiRunner> {
  const [runner] = await runnerByDigest(db, digestOf(token))
  if (!runner || (runner.token_expires_at !== null && runner.token_expires_at <= now())) throw forbidden()
  return runner
}

/** What a registration token registers runners for; null for none. */
export type RegistersFor = { kind: 'instance' } | { kind: PlaceKind; id: number }

export async function findRegistration(app: App, token: string): Promise<RegistersFor | null> {
  if (token === '') return null
  const instance = await instanceToken(app.db)
  if (instance?.digest === digestOf(token)) return { kind: 'instance' }
  const project = await projectOfToken(app.db, token)
  if (project !== null) return { kind: 'project', id: project }
  const group = await groupOfToken(app.db, digestOf(token))
  return group === null ? null : { kind: 'group', id: group }
}

/** The token that registers runners for it; the first time it is made. */
export async function registrationToken(
  app: App,
  place: { kind: 'instance' } | { kind: 'group'; id: number; runners_token: string | null },
): Promise<string> {
  const sealed = place.kind === 'group' ? place.runners_token : ((await instanceToken(app.db))?.sealed ?? null)
  return sealed === null ? resetRegistrationToken(app, place) : app.secrets.unseal(sealed, sealedFor[place.kind])
}

/** Another token; with the old one nobody registers anything any more. Runners keep theirs. */
export async function resetRegistrationToken(app: App, place: RegistersFor): Promise<string> {
  const token = randomBytes(15).toString('base64url')
  if (place.kind === 'project') await setProjectToken(app.db, place.id, token)
  else {
    const stored = { sealed: app.secrets.seal(token, sealedFor[place.kind]), digest: digestOf(token) }
    await (place.kind === 'group' ? setGroupToken(app.db, place.id, stored) : setInstanceToken(app.db, stored))
  }
  return token
}
