/** SQL for the feature flags of projects. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import { grouped } from '../../../db/rows.ts'
import type { FlagScope, FlagStrategy, FlagUserList, ProjectFlag, ProjectFlagTable } from '../../../db/tables.ts'

export interface StrategyOfFlag extends Omit<FlagStrategy, 'parameters'> {
  parameters: Record<string, string>
  scopes: FlagScope[]
  user_list: FlagUserList | null
}

/** A flag with all that says for whom it is on. */
export interface WholeFlag extends ProjectFlag {
  strategies: StrategyOfFlag[]
}

/** The newest first. */
export function listFlags(
  db: Db,
  project_id: number,
  state: 'enabled' | 'disabled' | undefined,
  page: PageOf,
): Promise<{ rows: ProjectFlag[]; total: number }> {
  const all = db.selectFrom('project_flags').selectAll().where('project_id', '=', project_id)
  return paginate((state ? all.where('active', '=', state === 'enabled') : all).orderBy('id', 'desc'), page)
}

export async function countFlags(db: Db, project_id: number): Promise<number> {
  const all = db.selectFrom('project_flags').where('project_id', '=', project_id)
  return Number((await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count)
}

export async function flagNamed(db: Db, project_id: number, name: string): Promise<ProjectFlag | null> {
  const found = db.selectFrom('project_flags').selectAll().where('project_id', '=', project_id).where('name', '=', name)
  return (await found.executeTakeFirst()) ?? null
}

/** The flags with their strategies, scopes and user lists: three statements, however many there are. */
export async function withStrategies(db: Db, flags: readonly ProjectFlag[]): Promise<WholeFlag[]> {
  if (flags.length === 0) return []
  const ids = flags.map(({ id }) => id)
  const strategies = await db
    .selectFrom('flag_strategies')
    .selectAll()
    .where(among(db, 'flag_id', ids))
    .orderBy('id')
    .execute()
  const scopes = await db
    .selectFrom('flag_scopes')
    .selectAll()
    .where((eb) =>
      eb(
        'strategy_id',
        'in',
        eb
          .selectFrom('flag_strategies')
          .select('id')
          .where(among(db, 'flag_id', ids)),
      ),
    )
    .orderBy('id')
    .execute()
  const listIds = strategies.flatMap(({ user_list_id }) => user_list_id ?? [])
  const lists =
    listIds.length === 0
      ? []
      : await db
          .selectFrom('flag_user_lists')
          .selectAll()
          .where(among(db, 'id', listIds))
          .execute()
  const scopesOf = grouped(scopes, ({ strategy_id }) => strategy_id)
  const listOf = new Map(lists.map((list) => [list.id, list]))
  const strategiesOf = grouped(strategies, ({ flag_id }) => flag_id)
  return flags.map((flag) => ({
    ...flag,
    strategies: (strategiesOf.get(flag.id) ?? []).map((strategy) => ({
      ...strategy,
      parameters: JSON.parse(strategy.parameters) as Record<string, string>,
      scopes: scopesOf.get(strategy.id) ?? [],
      user_list: listOf.get(strategy.user_list_id ?? 0) ?? null,
    })),
  }))
}

/** Fails on a unique index where the name is taken. */
export function insertFlag(db: Db, row: Insertable<ProjectFlagTable>): Promise<ProjectFlag> {
  return db.insertInto('project_flags').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null where it has been deleted meanwhile. */
export async function updateFlag(db: Db, id: number, changes: Updateable<ProjectFlagTable>): Promise<ProjectFlag | null> {
  return (await db.updateTable('project_flags').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteFlag(db: Db, id: number): Promise<boolean> {
  return (await db.deleteFrom('project_flags').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}

export interface StrategyRow {
  name: FlagStrategy['name']
  parameters: string
  user_list_id: number | null
}

export async function insertStrategy(db: Db, flag_id: number, row: StrategyRow): Promise<number> {
  const inserted = db.insertInto('flag_strategies').values({ ...row, flag_id })
  return (await inserted.returning('id').executeTakeFirstOrThrow()).id
}

export async function updateStrategy(db: Db, id: number, row: StrategyRow): Promise<void> {
  await db.updateTable('flag_strategies').set(row).where('id', '=', id).execute()
}

export async function deleteStrategies(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('flag_strategies')
    .where(among(db, 'id', ids))
    .execute()
}

export async function insertScopes(db: Db, strategy_id: number, scopes: readonly string[]): Promise<void> {
  if (scopes.length === 0) return
  await db
    .insertInto('flag_scopes')
    .values(scopes.map((environment_scope) => ({ strategy_id, environment_scope })))
    .execute()
}

/** The rows of scopes that stay keep their ids. */
export async function updateScope(db: Db, id: number, environment_scope: string): Promise<void> {
  await db.updateTable('flag_scopes').set({ environment_scope }).where('id', '=', id).execute()
}

export async function deleteScopes(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('flag_scopes')
    .where(among(db, 'id', ids))
    .execute()
}
