/** SQL for custom attributes. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'

/** The kinds of things that have attributes. */
export type Noted = 'user' | 'group' | 'project'

export interface CustomAttributeRow {
  key: string
  value: string
  updated_at: Instant
}

const columnOf = { user: 'user_id', group: 'namespace_id', project: 'project_id' } as const
const tableOf = { user: 'users', group: 'namespaces', project: 'projects' } as const

/** The attributes of many: one statement. */
export async function attributesOf(db: Db, kind: Noted, ids: readonly number[]): Promise<Array<CustomAttributeRow & { id: number }>> {
  if (ids.length === 0) return []
  const column = columnOf[kind]
  return db
    .selectFrom('custom_attributes')
    .select((eb) => ['key', 'value', 'updated_at', eb.ref(column).$castTo<number>().as('id')])
    .where(column, 'in', ids)
    .orderBy('key')
    .execute()
}

export async function attributeOf(db: Db, kind: Noted, id: number, key: string): Promise<CustomAttributeRow | null> {
  const row = await db
    .selectFrom('custom_attributes')
    .select(['key', 'value', 'updated_at'])
    .where(columnOf[kind], '=', id)
    .where('key', '=', key)
    .executeTakeFirst()
  return row ?? null
}

export async function upsertAttribute(db: Db, kind: Noted, id: number, { key, value, updated_at }: CustomAttributeRow): Promise<void> {
  const nowhere = { user_id: null, namespace_id: null, project_id: null }
  await db
    .insertInto('custom_attributes')
    .values({ ...nowhere, [columnOf[kind]]: id, key, value, created_at: updated_at, updated_at })
    .onConflict((conflict) => conflict.columns([columnOf[kind], 'key']).doUpdateSet({ value, updated_at }))
    .execute()
}

export async function deleteAttribute(db: Db, kind: Noted, id: number, key: string): Promise<void> {
  await db.deleteFrom('custom_attributes').where(columnOf[kind], '=', id).where('key', '=', key).execute()
}

/**
 * Whether a row of `users`, `namespaces` or `projects` has all attributes of the parameter `custom_attributes`. Only
 * administrators see attributes: a filter of anybody else has no effect.
 */
export function matchesAttributes(kind: Noted, wanted: Record<string, string> | undefined, viewer: Viewer): RawBuilder<SqlBool> {
  const pairs = viewer?.admin && wanted ? Object.entries(wanted) : []
  if (pairs.length === 0) return sql<SqlBool>`1 = 1`
  // No text in the database holds a NUL, and PostgreSQL rejects a query with one.
  if (pairs.some((pair) => pair.join().includes('\0'))) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`(${sql.join(
    pairs.map(([key, value]) => hasAttribute(kind, key, value)),
    sql` and `,
  )})`
}

function hasAttribute(kind: Noted, key: string, value: string): RawBuilder<SqlBool> {
  const [noted, id] = [sql.ref(`custom_attributes.${columnOf[kind]}`), sql.ref(`${tableOf[kind]}.id`)]
  return sql<SqlBool>`exists (select 1 from custom_attributes where ${noted} = ${id} and key = ${key} and value = ${value})`
}
