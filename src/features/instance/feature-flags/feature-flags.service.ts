/** Changes feature flags: which gates a request opens and closes. */
import type { Kysely } from 'kysely'
import { findGroup, findProject } from '../../../access/find.ts'
import { featureGroups } from '../../../access/flags.ts'
import { findUser } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { badParameter, invalid, nullIfMissing } from '../../../failure.ts'
import {
  closeGate,
  closeGates,
  deleteFeature,
  type FeatureRow,
  featureRows,
  type GateRow,
  lockFeature,
  openGate,
} from './feature-flags.queries.ts'

export interface SentGate {
  value: string
  key?: 'percentage_of_time' | 'percentage_of_actors' | undefined
  feature_group?: string | undefined
  user?: string | undefined
  group?: string | undefined
  project?: string | undefined
}

export type FeatureRows = FeatureRow[]

/** Returns the current flag. Throws 400, without a change, for an invalid value, group of users or actor. */
export async function setFeature(db: Kysely<Tables>, name: string, sent: SentGate): Promise<FeatureRows> {
  assertName(name)
  const value = readValue(sent.value)
  const targets = await targetsOf(db, sent)
  if (typeof value === 'number' && targets.length > 0)
    throw badParameter('value is invalid: true or false with a feature group or an actor')
  if (sent.key !== undefined && typeof value !== 'number') throw badParameter('key is invalid: it goes with a percentage')
  return inTransaction(db, async (tx) => {
    await lockFeature(tx, name)
    if (typeof value === 'number') {
      const kind = sent.key ?? 'percentage_of_time'
      await closeGates(tx, name, kind)
      if (value > 0) await openGate(tx, name, { ...noGate, kind, value: String(value) })
    } else if (targets.length > 0) {
      for (const target of targets) {
        await closeGate(tx, name, target)
        if (value) await openGate(tx, name, target)
      }
    } else {
      // All other gates are closed: they would open the flag again, or never be used.
      await closeGates(tx, name)
      if (value) await openGate(tx, name, { ...noGate, kind: 'boolean', value: 'true' })
    }
    return featureRows(tx, name)
  })
}

/** Resets the flag to its default. Also succeeds for a flag that was never set. */
export async function removeFeature(db: Kysely<Tables>, name: string): Promise<void> {
  assertName(name)
  await deleteFeature(db, name)
}

const noGate = { value: null, user_id: null, namespace_id: null, project_id: null }

function assertName(name: string): void {
  if (!/^\w[\w.:-]{0,254}$/.test(name)) throw badParameter('name is invalid')
}

/** `0` closes the flag, as `false` does; other numbers are percentages. */
function readValue(sent: string): boolean | number {
  if (sent === 'true') return true
  if (sent === 'false') return false
  if (!/^\d{1,3}$/.test(sent) || Number(sent) > 100) throw badParameter('value is invalid')
  return sent === '0' ? false : Number(sent)
}

async function targetsOf(db: Kysely<Tables>, { feature_group, user, group, project }: SentGate): Promise<GateRow[]> {
  const targets: GateRow[] = []
  for (const name of listOf(feature_group)) {
    if (!Object.hasOwn(featureGroups, name)) throw badParameter('feature_group does not have a valid value')
    targets.push({ ...noGate, kind: 'groups', value: name })
  }
  for (const name of listOf(user)) targets.push({ ...noGate, kind: 'actors', user_id: (await found(findUser(db, name), name)).id })
  for (const path of listOf(group)) {
    const { id } = await found(
      findGroup(db, path, everything).then(({ group }) => group, nullIfMissing),
      path,
    )
    targets.push({ ...noGate, kind: 'actors', namespace_id: id })
  }
  for (const path of listOf(project)) {
    const { id } = await found(
      findProject(db, path, everything).then(({ project }) => project, nullIfMissing),
      path,
    )
    targets.push({ ...noGate, kind: 'actors', project_id: id })
  }
  return targets
}

/** Several may be sent, separated by commas. */
function listOf(sent: string | undefined): string[] {
  return (sent ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

async function found<T>(search: Promise<T | null>, name: string): Promise<T> {
  const result = await search
  if (result === null) throw invalid(`400 Bad request - ${name} is not found!`)
  return result
}
