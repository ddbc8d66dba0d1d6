/** SQL for states of OpenTofu and Terraform. */
import type { Insertable } from 'kysely'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Instant, TerraformState, TerraformVersion, TerraformVersionTable } from '../../../db/tables.ts'

/** A state with the version that counts, and the user who holds its lock. */
export interface ShownState extends TerraformState {
  last: Pick<TerraformVersion, 'serial' | 'created_at'> | null
  locked_by: string | null
}

/** By name. Two statements. */
export async function listStates(db: Db, project_id: number, page: PageOf): Promise<{ rows: ShownState[]; total: number }> {
  const { rows, total } = await paginate(
    db
      .selectFrom('terraform_states')
      .leftJoin('users', 'users.id', 'terraform_states.locked_by_id')
      .selectAll('terraform_states')
      .select('users.name as locked_by')
      .where('terraform_states.project_id', '=', project_id)
      .orderBy('terraform_states.name'),
    page,
  )
  const ids = rows.map(({ id }) => id)
  const newest = db
    .selectFrom('terraform_versions')
    .select((eb) => eb.fn.max('id').as('id'))
    .where(among(db, 'state_id', ids))
    .groupBy('state_id')
  const versions = ids.length === 0 ? [] : await db.selectFrom('terraform_versions').selectAll().where('id', 'in', newest).execute()
  const lastOf = new Map(versions.map((version) => [version.state_id, version]))
  return { rows: rows.map((row) => ({ ...row, last: lastOf.get(row.id) ?? null })), total }
}

export async function stateNamed(db: Db, project_id: number, name: string): Promise<TerraformState | null> {
  const found = db.selectFrom('terraform_states').selectAll().where('project_id', '=', project_id).where('name', '=', name)
  return (await found.executeTakeFirst()) ?? null
}

export async function countStates(db: Db, project_id: number): Promise<number> {
  const all = db.selectFrom('terraform_states').where('project_id', '=', project_id)
  return Number((await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count)
}

/** Made if need be, and locked until the transaction ends. */
export async function ensureLockedState(tx: Tx, project_id: number, name: string, at: Instant): Promise<TerraformState> {
  const row = { project_id, name, lock_id: null, lock_info: null, locked_by_id: null, locked_at: null, created_at: at, updated_at: at }
  await tx
    .insertInto('terraform_states')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute()
  const query = tx.selectFrom('terraform_states').selectAll().where('project_id', '=', project_id).where('name', '=', name)
  return lockedRows(tx, query).executeTakeFirstOrThrow()
}

/** Locked until the transaction ends; null where it has been deleted. */
export async function lockedState(tx: Tx, id: number): Promise<TerraformState | null> {
  return (await lockedRows(tx, tx.selectFrom('terraform_states').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export async function updateState(
  tx: Tx,
  id: number,
  change: Partial<Pick<TerraformState, 'lock_id' | 'lock_info' | 'locked_by_id' | 'locked_at' | 'updated_at'>>,
): Promise<void> {
  await tx.updateTable('terraform_states').set(change).where('id', '=', id).execute()
}

export async function deleteState(tx: Tx, id: number): Promise<string[]> {
  const rows = await tx.deleteFrom('terraform_versions').where('state_id', '=', id).returning('store_key').execute()
  await tx.deleteFrom('terraform_states').where('id', '=', id).execute()
  return rows.map(({ store_key }) => store_key)
}

/** The one that was written last: whoever forces an older serial means it. */
export async function lastVersion(db: Db, state_id: number): Promise<TerraformVersion | null> {
  const found = db.selectFrom('terraform_versions').selectAll().where('state_id', '=', state_id).orderBy('id', 'desc').limit(1)
  return (await found.executeTakeFirst()) ?? null
}

export async function versionAt(db: Db, state_id: number, serial: number): Promise<TerraformVersion | null> {
  const found = db.selectFrom('terraform_versions').selectAll().where('state_id', '=', state_id).where('serial', '=', serial)
  return (await found.executeTakeFirst()) ?? null
}

export async function insertVersion(tx: Tx, row: Insertable<TerraformVersionTable>): Promise<void> {
  await tx.insertInto('terraform_versions').values(row).execute()
}

/** The key of its object; null where there is none. */
export async function deleteVersion(tx: Tx, state_id: number, serial: number): Promise<string | null> {
  const deleted = tx.deleteFrom('terraform_versions').where('state_id', '=', state_id).where('serial', '=', serial)
  return (await deleted.returning('store_key').executeTakeFirst())?.store_key ?? null
}
