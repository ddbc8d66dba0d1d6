/** The rules of states: who holds the lock writes, and every version stays until somebody deletes it. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { TerraformState, TerraformVersion, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid, missing, notFound } from '../../../failure.ts'
import { numberInObject } from '../../../text/json-scan.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { abandon, abandonAll, openSealed, refer, storeSealed } from '../../storage/object-storage/object-storage.ts'
import { assertRoomIn } from '../../storage/quotas/quotas.ts'
import {
  countStates,
  deleteState,
  deleteVersion,
  ensureLockedState,
  insertVersion,
  lastVersion,
  lockedState,
  stateNamed,
  updateState,
  versionAt,
} from './terraform-states.queries.ts'

/** The client's description of itself when it takes the lock. Every field is text of its own choice. */
export interface LockInfo {
  ID: string
  Operation: string
  Info: string
  Who: string
  Version: string
  Created: string
  Path: string
}

/** A larger state is refused. */
export const maxState_bytes = 64 * 1024 * 1024

const maxStates = 1_000
/** The limit of each field of a lock: lists of states show them. */
const maxSaid_chars = 4_096

/** Names what was sealed for the states of a project: those of another one are not opened by it. */
const purposeOf = (project_id: number) => `terraform_versions.store_key of project ${project_id}`

/** Throws 404 where the project has none of this name. */
export async function getState(app: App, project_id: number, name: string): Promise<TerraformState> {
  const state = await stateNamed(app.db, project_id, name)
  if (!state) throw notFound('State')
  return state
}

/** Throws 404 for a serial that isn't there. */
export async function getVersion(app: App, state: TerraformState, serial: number): Promise<TerraformVersion> {
  const version = await versionAt(app.db, state.id, serial)
  if (!version) throw notFound('Version')
  return version
}

/** The version that counts. Throws 404 where there is none yet: clients take such a state as empty. */
export async function lastVersionOf(app: App, state: TerraformState): Promise<TerraformVersion> {
  const version = await lastVersion(app.db, state.id)
  if (!version) throw notFound('State')
  return version
}

/** The state as it was written. */
export function readVersion(app: App, { project_id }: TerraformState, { store_key }: TerraformVersion): Promise<Buffer> {
  return openSealed(app, store_key, purposeOf(project_id))
}

/**
 * Writes a version. One of the same serial takes the place of that one. Throws 409 while somebody else holds the lock, and 400 for what is
 * no state.
 */
export async function writeState(
  app: App,
  at: { project_id: number; name: string; user: User },
  { content, lock_id }: { content: Buffer; lock_id: string | undefined },
): Promise<void> {
  const { project_id, name, user } = at
  assertName(name)
  const serial = serialOf(content)
  const before = await stateNamed(app.db, project_id, name)
  // Before anything is stored for nothing; it is looked at again below.
  if (before) assertHolds(before, lock_id)
  await assertRoomIn(app, project_id, content.length)
  const object = await storeSealed(app, 'terraform', content, purposeOf(project_id))
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    if (!before) await assertMayAdd(tx, project_id)
    if (!(await refer(tx, object.store_key))) throw new Failure('timed_out', 'It took too long to store the state.')
    const state = await ensureLockedState(tx, project_id, name, now())
    assertHolds(state, lock_id)
    const replaced = await deleteVersion(tx, state.id, serial)
    if (replaced !== null) await abandon(tx, replaced)
    await insertVersion(tx, { state_id: state.id, serial, ...object, created_by_id: user.id, created_at: now() })
    await updateState(tx, state.id, { updated_at: now() })
  })
}

/**
 * Locks a state, which is created if needed. Throws 409 with the holder's description if it is locked, and 403 if it could not be written
 * later: clients change their infrastructure before they write the state, when it is too late to refuse.
 */
export async function lockState(app: App, at: { project_id: number; name: string; user: User }, info: LockInfo): Promise<void> {
  const { project_id, name, user } = at
  assertName(name)
  const { ID, ...said } = info
  const errors = Object.entries(said).map(([name, text]) => [name, lengthError(text, maxSaid_chars)] as const)
  assertValid({ ID: blankError(ID) ?? lengthError(ID, 255), ...Object.fromEntries(errors) })
  await assertRoomIn(app, project_id, 0)
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    if (!(await stateNamed(tx, project_id, name))) await assertMayAdd(tx, project_id)
    const state = await ensureLockedState(tx, project_id, name, now())
    if (state.lock_id !== null) throw isLocked(state)
    const lock = { lock_id: info.ID, lock_info: JSON.stringify(info), locked_by_id: user.id, locked_at: now() }
    await updateState(tx, state.id, lock)
    await publish(tx, { type: 'terraform_state_locked', project_id, name })
  })
}

/** Gives the lock back; without an id it is taken from whoever holds it. Throws 409 for another one than is held. */
export async function unlockState(app: App, { id, project_id, name }: TerraformState, lock_id: string | undefined): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const state = await required(tx, id)
    if (lock_id !== undefined && state.lock_id !== null && state.lock_id !== lock_id) throw isLocked(state)
    if (state.lock_id === null) return
    await updateState(tx, id, { lock_id: null, lock_info: null, locked_by_id: null, locked_at: null })
    await publish(tx, { type: 'terraform_state_unlocked', project_id, name })
  })
}

/** With all its versions. Throws 409 while it is locked. */
export async function removeState(app: App, { id, project_id, name }: TerraformState): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const state = await required(tx, id)
    if (state.lock_id !== null) throw isLocked(state)
    await abandonAll(tx, await deleteState(tx, id))
    await publish(tx, { type: 'terraform_state_removed', project_id, name })
  })
}

/** Throws 409 while it is locked; 404 where it is gone. */
export async function removeVersion(app: App, { id }: TerraformState, { serial }: TerraformVersion): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const state = await required(tx, id)
    if (state.lock_id !== null) throw isLocked(state)
    const key = await deleteVersion(tx, id, serial)
    if (key === null) throw missing()
    await abandon(tx, key)
  })
}

async function required(tx: Tx, id: number): Promise<TerraformState> {
  const state = await lockedState(tx, id)
  if (!state) throw notFound('State')
  return state
}

/** While nobody holds the lock everybody may write who may write at all: clients can be told not to lock. */
function assertHolds(state: TerraformState, lock_id: string | undefined): void {
  if (state.lock_id !== null && state.lock_id !== lock_id) throw isLocked(state)
}

/** Clients show what the holder said of itself. */
function isLocked({ lock_info }: TerraformState): Failure {
  return new Failure('conflict', 'The state is locked', { body: { ...(JSON.parse(lock_info ?? '{}') as LockInfo) } })
}

async function assertMayAdd(tx: Tx, project_id: number): Promise<void> {
  if ((await countStates(tx, project_id)) >= maxStates) throw invalid({ base: [`Maximum number of states (${maxStates}) exceeded`] })
}

function assertName(name: string): void {
  assertValid({ name: blankError(name) ?? lengthError(name, 255) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : null) })
}

/** The serial that the state itself has. */
function serialOf(content: Buffer): number {
  const serial = numberInObject(content.toString('latin1'), 'serial')
  if (serial === null || !Number.isSafeInteger(serial) || serial < 0) throw invalid('The body is no state: it is no JSON with a serial')
  return serial
}
