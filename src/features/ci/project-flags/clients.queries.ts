/** SQL for the programs that read the feature flags of a project, and for what they read. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'

export interface SealedId {
  instance_id_digest: string
  /** Sealed. */
  instance_id: string
}

/** The project of an instance id, and the version of its flags. Kept while nothing is written, as programs ask every few seconds. */
export const projectByInstanceId = prepared((db: Db, digest: string) =>
  db
    .selectFrom('flag_clients')
    .innerJoin('projects', 'projects.id', 'flag_clients.project_id')
    .select(['projects.id', 'projects.builds_access_level', 'flag_clients.version'])
    .where('flag_clients.instance_id_digest', '=', digest),
)

/** The flags of a project, a row for each environment scope of each strategy. */
export const scopesOfProject = prepared((db: Db, project_id: number) =>
  db
    .selectFrom('project_flags')
    .innerJoin('flag_strategies', 'flag_strategies.flag_id', 'project_flags.id')
    .innerJoin('flag_scopes', 'flag_scopes.strategy_id', 'flag_strategies.id')
    .leftJoin('flag_user_lists', 'flag_user_lists.id', 'flag_strategies.user_list_id')
    .select([
      'project_flags.id as flag_id',
      'project_flags.name as flag_name',
      'project_flags.description',
      'project_flags.active',
      'flag_strategies.id as strategy_id',
      'flag_strategies.name',
      'flag_strategies.parameters',
      'flag_user_lists.user_xids',
      'flag_scopes.environment_scope',
    ])
    .where('project_flags.project_id', '=', project_id)
    .orderBy('project_flags.id')
    .orderBy('flag_strategies.id')
    .orderBy('flag_scopes.id'),
)

/** Measures what `scopesOfProject` would read, so that too much is refused before it is loaded. */
export async function sizeOfServed(db: Db, project_id: number): Promise<{ rows: number; chars: number }> {
  const read = await db
    .selectFrom('project_flags')
    .innerJoin('flag_strategies', 'flag_strategies.flag_id', 'project_flags.id')
    .innerJoin('flag_scopes', 'flag_scopes.strategy_id', 'flag_strategies.id')
    .leftJoin('flag_user_lists', 'flag_user_lists.id', 'flag_strategies.user_list_id')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .select(
      sql<number>`coalesce(sum(length(description) + length(parameters) + length(coalesce(user_xids, '')) + length(environment_scope)), 0)`.as(
        'chars',
      ),
    )
    .where('project_flags.project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return { rows: Number(read.rows), chars: Number(read.chars) }
}

export async function sealedIdOf(db: Db, project_id: number): Promise<string | null> {
  const found = db.selectFrom('flag_clients').select('instance_id').where('project_id', '=', project_id)
  return (await found.executeTakeFirst())?.instance_id ?? null
}

/** Without an instance id, nothing reads the flags. */
export async function raiseVersion(tx: Tx, project_id: number): Promise<void> {
  await tx
    .updateTable('flag_clients')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('project_id', '=', project_id)
    .execute()
}

/** Leaves the one that is there. */
export async function insertSealedId(db: Db, project_id: number, sealed: SealedId): Promise<void> {
  const row = { project_id, ...sealed }
  await db
    .insertInto('flag_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .execute()
}

/** In the place of the one that is there. */
export async function replaceSealedId(tx: Tx, project_id: number, sealed: SealedId): Promise<void> {
  const row = { project_id, ...sealed }
  await tx
    .insertInto('flag_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(sealed))
    .execute()
}
