/** SQL for the variables of projects, groups and the instance. Values are sealed in all rows. */
import { type Expression, type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { CiVariableTable } from '../../../db/tables.ts'

/** The place that variables belong to. */
export type VariablePlace = { project_id: number } | { namespace_id: number } | 'instance'

export type VariableRow = Selectable<CiVariableTable>
export type VariableColumns = Pick<
  VariableRow,
  'key' | 'value' | 'kind' | 'protected' | 'masked' | 'hidden' | 'raw' | 'environment_scope' | 'description'
>

/** The variables of one place, oldest first. */
export function listVariables(db: Db, place: VariablePlace, page: PageOf): Promise<{ rows: VariableRow[]; total: number }> {
  return paginate(variablesAt(db, place).orderBy('id'), page)
}

/** All with this key, one per environment scope: the oldest first, and no more than two. */
export function variablesNamed(db: Db, place: VariablePlace, key: string, scope: string | null): Promise<VariableRow[]> {
  const named = variablesAt(db, place).where('key', '=', key).orderBy('id').limit(2)
  return (scope === null ? named : named.where('environment_scope', '=', scope)).execute()
}

/** Null if the place has none with this id. */
export async function variableAt(db: Db, place: VariablePlace, id: number): Promise<VariableRow | null> {
  return (await variablesAt(db, place).where('id', '=', id).executeTakeFirst()) ?? null
}

export async function countVariables(db: Db, place: VariablePlace): Promise<number> {
  const { total } = await db
    .selectFrom('ci_variables')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(standsAt(place))
    .executeTakeFirstOrThrow()
  return Number(total)
}

export function insertVariable(db: Db, place: VariablePlace, row: Insertable<CiVariableTable>): Promise<VariableRow> {
  const columns = place === 'instance' ? {} : place
  return db
    .insertInto('ci_variables')
    .values({ ...row, ...columns })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Null if it has been deleted meanwhile. */
export async function updateVariable(
  db: Db,
  id: number,
  changes: Partial<VariableColumns> & { updated_at: string },
): Promise<VariableRow | null> {
  return (await db.updateTable('ci_variables').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteVariable(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_variables').where('id', '=', id).execute()
}

/** A row that applies to a job of the project, and the nearness of its place: higher is nearer. */
export type ReachingRow = Pick<VariableRow, 'id' | 'key' | 'value' | 'kind' | 'masked' | 'raw' | 'environment_scope'> & { nearness: number }

/** Variables that apply to jobs of a project: of the instance, of the groups from the top, of the project itself, in this order. */
export async function variablesReaching(
  db: Db,
  project: { id: number; namespace_id: number },
  isProtected: boolean,
): Promise<ReachingRow[]> {
  const columns = ['ci_variables.id', 'key', 'value', 'ci_variables.kind', 'masked', 'raw', 'environment_scope'] as const
  const open = db.selectFrom('ci_variables').select(columns)
  const all = isProtected ? open : open.where('protected', '=', false)
  const depth = sql<number>`(select count(*) from namespace_ancestors as above where above.namespace_id = ci_variables.namespace_id)`
  // Three queries, so that each uses its own index.
  const reaching = all
    .where('project_id', 'is', null)
    .where('ci_variables.namespace_id', 'is', null)
    .select(sql<number>`0`.as('nearness'))
    .unionAll(
      all
        .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'ci_variables.namespace_id')
        .where('namespace_ancestors.namespace_id', '=', project.namespace_id)
        .select(depth.as('nearness')),
    )
    .unionAll(all.where('project_id', '=', project.id).select(sql<number>`1000000`.as('nearness')))
  const rows = await rowsByKeptPlan(db, reaching)
  return rows.sort((a, b) => a.nearness - b.nearness || a.id - b.id)
}

function variablesAt(db: Db, place: VariablePlace) {
  return db.selectFrom('ci_variables').selectAll().where(standsAt(place))
}

function standsAt(place: VariablePlace): Expression<SqlBool> {
  if (place === 'instance') return sql<SqlBool>`project_id is null and namespace_id is null`
  if ('project_id' in place) return sql<SqlBool>`project_id = ${place.project_id}`
  return sql<SqlBool>`namespace_id = ${place.namespace_id}`
}
