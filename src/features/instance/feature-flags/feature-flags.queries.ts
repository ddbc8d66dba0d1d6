/** SQL of feature flags. */
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import type { FeatureGate } from '../../../db/tables.ts'

export type GateRow = Pick<FeatureGate, 'kind' | 'value' | 'user_id' | 'namespace_id' | 'project_id'>

export interface FeatureRow extends Omit<GateRow, 'kind'> {
  name: string
  /** Null for a flag without open gates. */
  kind: GateRow['kind'] | null
}

/**
 * Every flag with its gates, ordered by name: one row per gate.
 * @param name to read only that flag
 */
export function featureRows(db: Db, name?: string): Promise<FeatureRow[]> {
  return db
    .selectFrom('features')
    .leftJoin('feature_gates', 'feature_gates.feature_name', 'features.name')
    .select(['features.name', 'kind', 'value', 'user_id', 'namespace_id', 'project_id'])
    .$if(name !== undefined, (query) => query.where('features.name', '=', name as string))
    .orderBy('features.name')
    .orderBy('feature_gates.id')
    .execute()
}

/** Creates the flag unless it exists. Its gates are locked until the transaction ends. */
export async function lockFeature(tx: Tx, name: string): Promise<void> {
  await tx
    .insertInto('features')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await lockedRows(tx, tx.selectFrom('features').select('name').where('name', '=', name)).execute()
}

/** Removes the gates of a kind, or of all kinds. */
export async function closeGates(tx: Tx, name: string, kind?: FeatureGate['kind']): Promise<void> {
  await tx
    .deleteFrom('feature_gates')
    .where('feature_name', '=', name)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as FeatureGate['kind']))
    .execute()
}

/** Removes exactly this gate. */
export async function closeGate(tx: Tx, name: string, { kind, value, user_id, namespace_id, project_id }: GateRow): Promise<void> {
  await tx
    .deleteFrom('feature_gates')
    .where('feature_name', '=', name)
    .where('kind', '=', kind)
    .where('value', 'is not distinct from', value)
    .where('user_id', 'is not distinct from', user_id)
    .where('namespace_id', 'is not distinct from', namespace_id)
    .where('project_id', 'is not distinct from', project_id)
    .execute()
}

export async function openGate(tx: Tx, name: string, gate: GateRow): Promise<void> {
  await tx
    .insertInto('feature_gates')
    .values({ feature_name: name, ...gate })
    .execute()
}

export async function deleteFeature(db: Db, name: string): Promise<void> {
  await db.deleteFrom('features').where('name', '=', name).execute()
}
