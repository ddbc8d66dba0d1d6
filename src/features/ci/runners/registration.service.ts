/** Creates runners: registered with a registration token, or created by a user. */
import type { RegistersFor } from '../../../access/principals.ts'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { withoutUndefined } from '../../../validation.ts'
import { type Info, infoColumns } from './contacts.service.ts'
import { type RunnerFields, runnerColumns } from './rules.ts'
import { insertRunner, insertRunnerProject } from './runners.queries.ts'
import { asCredential, holderOf, newRunnerToken } from './tokens.service.ts'

export interface NewRunner {
  runner: CiRunner
  /** Shown only this once. */
  token: string
}

/** Registers a runner for the place that the registration token belongs to. */
export function registerRunner(
  app: App,
  place: RegistersFor,
  fields: RunnerFields,
  { info, ip }: { info: Info | undefined; ip: string },
): Promise<NewRunner> {
  return addRunner(app, place, 'registered', { ...fields, name: info?.name?.slice(0, 255) ?? null, ...infoColumns(info, ip) })
}

/** Creates a runner, whose token can then be given to machines. */
export function createRunner(app: App, user: { id: number }, place: RegistersFor, fields: RunnerFields): Promise<NewRunner> {
  return addRunner(app, place, 'created', { ...fields, creator_id: user.id })
}

async function addRunner(
  { db }: App,
  place: RegistersFor,
  how: 'registered' | 'created',
  wanted: RunnerFields & Partial<Pick<CiRunner, 'name' | 'creator_id'>> & Partial<ReturnType<typeof infoColumns>>,
): Promise<NewRunner> {
  const columns = runnerColumns(wanted, { tags: '[]', run_untagged: true })
  const { name = null, creator_id = null, version, revision, platform, architecture, executor, ip_address } = wanted
  const token = newRunnerToken(how)
  const at = now()
  return inTransaction(db, async (tx) => {
    const runner = await insertRunner(tx, {
      ...columns,
      ...withoutUndefined({ version, revision, platform, architecture, executor, ip_address }),
      kind: place.kind,
      namespace_id: place.kind === 'group' ? place.id : null,
      token_digest: digestOf(token),
      name,
      creator_id,
      created_at: at,
      updated_at: at,
    })
    if (place.kind === 'project') await insertRunnerProject(tx, runner.id, place.id)
    await publish(tx, { type: 'credential_created', of: await holderOf(tx, runner), credential: asCredential(runner) })
    return { runner, token }
  })
}
