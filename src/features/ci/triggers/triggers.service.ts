/** Rules of triggers: tokens that start pipelines on behalf of their owners. */

import { randomBytes } from 'node:crypto'
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { findJobToken, reachesProject } from '../../../access/job-tokens.ts'
import { mayAct } from '../../../access/states.ts'
import { digestOf } from '../../../access/tokens.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { now } from '../../../db/instants.ts'
import type { CiTrigger, Pipeline, User } from '../../../db/tables.ts'
import { forbidden, invalid, missing, notFound, nullIfMissing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { readSettings, termsAccepted } from '../../instance/settings/settings.ts'
import { type GivenVariable, readInputs, runPipeline } from '../pipelines/pipelines.ts'
import { keyError, valueError } from '../variables/variables.ts'
import { countTriggers, insertTrigger, sealedTokenOf, triggerByDigest, updateTrigger } from './triggers.queries.ts'

/** The purpose for which tokens are sealed. */
const sealedFor = 'ci_triggers.token'
const maxTriggers = 1_000
const shown_chars = 4

/** With a new token. Throws 400 for a blank description, and if the project has the maximum number. */
export async function createTrigger(
  app: App,
  project: { id: number },
  owner: User,
  { description, expires_at }: { description: string; expires_at: string | null },
): Promise<CiTrigger> {
  assertValid({ description: descriptionError(description) })
  if ((await countTriggers(app.db, project.id)) >= maxTriggers)
    throw invalid({ base: [`Maximum number of triggers (${maxTriggers}) exceeded`] })
  const token = `gsttr-${randomBytes(20).toString('hex')}`
  const at = now()
  return insertTrigger(app.db, {
    project_id: project.id,
    owner_id: owner.id,
    description,
    token: app.secrets.seal(token, sealedFor),
    token_digest: digestOf(token),
    expires_at,
    created_at: at,
    updated_at: at,
    last_used_at: null,
  })
}

/** Throws 400 for a blank description; 404 if it was deleted meanwhile. */
export async function changeTrigger(app: App, { id }: CiTrigger, changes: { description?: string; owner_id?: number }): Promise<CiTrigger> {
  if (changes.description !== undefined) assertValid({ description: descriptionError(changes.description) })
  const changed = await updateTrigger(app.db, id, { ...changes, updated_at: now() })
  if (!changed) throw missing()
  return changed
}

const descriptionError = (description: string) => blankError(description) ?? lengthError(description, 255)

/** The whole token for its owner, its beginning for others. */
export function shownToken(app: App, { token, owner_id }: CiTrigger, viewer: User): string {
  const clear = app.secrets.unseal(token, sealedFor)
  return owner_id === viewer.id ? clear : clear.slice(0, shown_chars)
}

/** The value of `CI_TRIGGER_SHORT_TOKEN`. */
export async function shortTriggerToken(app: App, trigger_id: number): Promise<string | null> {
  const token = await sealedTokenOf(app.db, trigger_id)
  return token === null ? null : app.secrets.unseal(token, sealedFor).slice(0, shown_chars)
}

export interface TriggerRequest {
  /** Id or full path of the project, as sent. */
  id: string
  ref: string
  token: string
  /** As sent. */
  variables: unknown
  inputs: Record<string, unknown> | undefined
}

/**
 * Starts a pipeline with the token of a trigger or a running job. A project for which the token isn't valid is not found, whether or not it
 * exists. Throws 400 in the words of the reference if there is no pipeline to create, and 403 while the terms are not accepted.
 */
export async function runTrigger(
  app: App,
  { id, ref, token, ...sent }: TriggerRequest,
): Promise<{ project: LocatedProject; pipeline: Pipeline; user: User }> {
  const given = readVariables(sent.variables)
  const inputs = readInputs(sent.inputs)
  const found = await findProject(app.db, id, everything).catch(nullIfMissing)
  if (!found) throw notFound()
  const { project } = found
  const starter = (await byTrigger(app, project, token)) ?? (await byJob(app, project, token))
  if (!starter) throw notFound()
  const { user, trigger_id } = starter
  if (!termsAccepted(await readSettings(app.db), user))
    throw forbidden(`The user of this token must accept the terms of service first, at ${app.config.url}/-/terms`)
  const source = trigger_id === null ? 'pipeline' : 'trigger'
  const pipeline = await runPipeline(app, {
    project,
    user,
    ref,
    source,
    variables: given,
    inputs,
    ...(trigger_id !== null && { trigger_id }),
  })
  if (trigger_id !== null) await updateTrigger(app.db, trigger_id, { last_used_at: now() })
  return { project, pipeline, user }
}

interface Starter {
  user: User
  trigger_id: number | null
}

async function byTrigger({ db }: App, { id }: LocatedProject, token: string): Promise<Starter | null> {
  const trigger = await triggerByDigest(db, id, digestOf(token))
  if (!trigger) return null
  const user = trigger.owner_id === null ? null : await userById(db, trigger.owner_id)
  return user && { user, trigger_id: trigger.id }
}

/** A job can start pipelines, as its user, in projects that accept its token. */
async function byJob({ db }: App, project: LocatedProject, token: string): Promise<Starter | null> {
  const found = await findJobToken(db, token)
  if (!found || !mayAct(found.user) || !(await reachesProject(db, found.job, project))) return null
  // A job can't see more projects than its user.
  const visible = await findProject(db, String(project.id), found.user).catch(nullIfMissing)
  return visible && { user: found.user, trigger_id: null }
}

const maxVariables = 1_000

/** Throws 400 for anything but a map of strings with valid names and values. */
function readVariables(sent: unknown): GivenVariable[] {
  const entries = Object.entries((sent ?? {}) as Record<string, unknown>)
  if (entries.some(([, value]) => typeof value !== 'string')) throw invalid('variables needs to be a map of key-valued strings')
  if (entries.length > maxVariables) throw invalid({ base: [`Maximum number of variables (${maxVariables}) exceeded`] })
  const variables = entries.map(([key, value]): GivenVariable => ({ key, value: value as string, kind: 'env_var', raw: false }))
  for (const { key, value } of variables) assertValid({ 'variables.key': keyError(key), 'variables.value': valueError(value) })
  return variables
}
