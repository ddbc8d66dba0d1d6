/** SQL of the audit log, and the names of what its entries are about. */
import type { Insertable } from 'kysely'
import type { Db, Found, PageOf } from '../../../db/database.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { AuditEntityType, AuditEvent, AuditEventTable } from '../../../db/tables.ts'

/** Rows per statement: each has a dozen values. */
const atOnce = 500

export async function insertAuditEvents(db: Db, rows: Array<Insertable<AuditEventTable>>): Promise<void> {
  for (let at = 0; at < rows.length; at += atOnce)
    await db
      .insertInto('audit_events')
      .values(rows.slice(at, at + atOnce))
      .execute()
}

export interface AuditFilter {
  entity_type?: AuditEntityType | undefined
  entity_id?: number | undefined
  /** The name of the author at that time. */
  author_name?: string | undefined
  event_name?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export async function listAuditEvents(db: Db, filter: AuditFilter, page: PageOf & { sort?: 'asc' | 'desc' }): Promise<Found<AuditEvent>> {
  const { entity_type, entity_id, author_name, event_name, created_after, created_before } = filter
  const list = db.selectFrom('audit_events').where((eb) =>
    eb.and([
      ...(entity_type === undefined ? [] : [eb('entity_type', '=', entity_type)]),
      // The instance has no number.
      ...(entity_id === undefined || entity_type === 'Instance' ? [] : [eb('entity_id', '=', entity_id)]),
      ...(author_name === undefined ? [] : [eb('author_name', '=', author_name)]),
      ...(event_name === undefined ? [] : [eb('event_name', '=', event_name)]),
      ...(created_after === undefined ? [] : [eb('created_at', '>=', created_after)]),
      ...(created_before === undefined ? [] : [eb('created_at', '<=', created_before)]),
    ]),
  )
  if (page.keyset) return pageByKeyset(db, list, 'audit_events', page, auditEventsById)
  const total = await totalOf(db, list)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) => list.select('id').orderBy('id', directed(page.sort ?? 'desc', isReversed))
  return { rows: await pageOfList(db, ids, { ...page, total }, auditEventsById), total }
}

function auditEventsById(db: Db, ids: number[]): Promise<AuditEvent[]> {
  return db.selectFrom('audit_events').selectAll().where('id', 'in', ids).execute()
}

export async function auditEventById(db: Db, id: number): Promise<AuditEvent | null> {
  return (await auditEventsById(db, [id]))[0] ?? null
}

/** Limited in number, so that each statement is short and others can write meanwhile. Returns whether there are more. */
export async function deleteAuditEventsBefore(db: Db, instant: string, atOnce = 1_000): Promise<boolean> {
  const oldest = db
    .selectFrom('audit_events')
    .select('id')
    .where('created_at', '<', instant)
    .orderBy('created_at')
    .orderBy('id')
    .limit(atOnce)
  const { numDeletedRows } = await db.deleteFrom('audit_events').where('id', 'in', oldest).executeTakeFirstOrThrow()
  return Number(numDeletedRows) === atOnce
}

/** The names of recorded events, sorted. */
export async function recordedEventNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('audit_events').select('event_name').distinct().orderBy('event_name').limit(500).execute()
  return rows.map(({ event_name }) => event_name)
}

export async function usernameOf(db: Db, id: number): Promise<string> {
  return (await usernamesOf(db, [id])).get(id) as string
}

/** For each of these users, in one statement. */
export async function usernamesOf(db: Db, ids: number[]): Promise<Map<number, string>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('users')
          .select(['id', 'username'])
          .where(among(db, 'id', ids))
          .execute()
  const known = new Map(rows.map(({ id, username }) => [id, username]))
  return new Map(ids.map((id) => [id, known.get(id) ?? `user ${id}`]))
}

/** The full path of a project or a group. */
export async function pathOf(db: Db, column: 'project_id' | 'namespace_id', id: number): Promise<string> {
  return (await pathsOf(db, column, [id])).get(id) as string
}

/** For each of these projects or groups, in one statement. */
export async function pathsOf(db: Db, column: 'project_id' | 'namespace_id', ids: number[]): Promise<Map<number, string>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('routes')
          .select([column, 'path'])
          .where(among(db, column, ids))
          .execute()
  const known = new Map(rows.map((row) => [row[column], row.path]))
  return new Map(ids.map((id) => [id, known.get(id) ?? `${column === 'project_id' ? 'project' : 'group'} ${id}`]))
}
