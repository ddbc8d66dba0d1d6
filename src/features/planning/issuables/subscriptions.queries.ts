/** SQL for subscriptions to issues and merge requests: by explicit choice or, without one, by participation. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { IssuableName, NoteableKey } from '../../../db/tables.ts'
import { issuableTables } from './kinds.ts'

/** The rows of a kind that the user is subscribed to, by choice or by participation. One statement. */
export async function subscribedAmong(db: Db, userId: number, ids: number[], kind: IssuableName = 'issue'): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { table } = issuableTables[kind]
  const [column, id] = [`subscriptions.${kind}_id` as const, `${table}.id` as const]
  const found = await db
    .selectFrom(table)
    .leftJoin('subscriptions', (join) => join.onRef(column, '=', id).on('subscriptions.user_id', '=', userId))
    .select(id)
    .where(id, 'in', ids)
    .where((eb) =>
      eb.or([eb('subscriptions.subscribed', '=', true), eb.and([eb('subscriptions.id', 'is', null), takesPart(userId, kind)])]),
    )
    .execute()
  return new Set(found.map((row) => row.id))
}

export async function isSubscribed(db: Db, userId: number, { kind, id }: NoteableKey<IssuableName>): Promise<boolean> {
  return (await subscribedAmong(db, userId, [id], kind)).has(id)
}

/** For a query over the table of the kind. */
function takesPart(userId: number, kind: IssuableName): RawBuilder<SqlBool> {
  const { table, people, mentions } = issuableTables[kind]
  const id = sql.ref(`${table}.id`)
  const isIn = (name: string, further = sql``) =>
    sql<SqlBool>`exists (select 1 from ${sql.table(name)} where ${sql.ref(`${name}.${kind}_id`)} = ${id} and ${sql.ref(`${name}.user_id`)} = ${userId}${further})`
  // Users who are only mentioned in internal notes must not get mail about them.
  const isMentioned = isIn(mentions, sql` and ${sql.ref(`${mentions}.internal`)} = ${sql.lit(false)}`)
  const inTables = [...people.map((name) => isIn(name)), isMentioned]
  const notes = sql<SqlBool>`exists (select 1 from notes where ${sql.ref(`notes.${kind}_id`)} = ${id} and notes.author_id = ${userId}
    and (notes.system_action is null or notes.system_action != 'cross_reference'))`
  return sql<SqlBool>`(${sql.join([sql`${sql.ref(`${table}.author_id`)} = ${userId}`, ...inTables, notes], sql` or `)})`
}

/** Stores the choice of a user, for or against. */
export async function chooseSubscription(
  tx: Tx,
  userId: number,
  { kind, id }: NoteableKey<IssuableName>,
  subscribed: boolean,
): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ [`${kind}_id` as const]: id, user_id: userId, label_id: null, project_id: null, subscribed, created_at: now() })
    .onConflict((conflict) => conflict.columns([`${kind}_id`, 'user_id']).doUpdateSet({ subscribed }))
    .execute()
}
