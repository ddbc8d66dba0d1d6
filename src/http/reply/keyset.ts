/** Keyset pages of lists from the database: `pagination=keyset` with an order, and a cursor to the next page. */
import { Type } from 'typebox'
import type { Keyset, Position } from '../../db/database.ts'
import { badParameter } from '../../failure.ts'
import { pageLink } from './page.ts'

/** Parameters of lists that have keyset pages. */
export const keysetParameters = {
  pagination: Type.Optional(
    Type.String({ description: 'keyset: pages by a cursor, in the order of order_by, without totals; the Link header leads to the next' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 4_096, description: 'Of a keyset page, as in the Link header of the page before it' })),
}

interface Sent {
  pagination?: string | undefined
  cursor?: string | undefined
}

/** The requested keyset page; null for a numbered page. Throws 400 for an invalid cursor, or one of another order. */
export function keysetOf({ pagination, cursor }: Sent, query: Record<string, unknown>): Keyset | null {
  if (pagination !== 'keyset') return null
  const order_by = typeof query.order_by === 'string' ? query.order_by : 'id'
  const sort = query.sort === 'asc' ? 'asc' : 'desc'
  return { order_by, sort, after: cursor ? positionIn(cursor, order_by, sort) : null }
}

function positionIn(cursor: string, order_by: string, sort: string): Position {
  const [of, direction, value, id, ...more] = decode(cursor)
  // If the list can only be ordered by id, the value of a position is the id.
  const isValue = value === id || (of !== 'id' && typeof value === 'string' && !value.includes('\0'))
  if (of !== order_by || direction !== sort || !isValue || !isId(id) || more.length > 0) throw badParameter('cursor is invalid')
  return { value: value as string | number, id }
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) > 0
}

function decode(cursor: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(decoded) ? decoded : []
  } catch {
    return []
  }
}

/**
 * The link to the next page; none on the last one.
 * @param sent `address`: URL of the list without its query; `query`: as sent
 */
export function cursorHeaders(
  { order_by, sort }: Keyset,
  next: Position | null,
  per_page: number,
  sent: { address: string; query: string },
): Record<string, string> {
  if (next === null) return { 'x-per-page': String(per_page) }
  const cursor = Buffer.from(JSON.stringify([order_by, sort, next.value, next.id])).toString('base64url')
  return { 'x-per-page': String(per_page), link: pageLink('next', sent, { per_page, cursor }) }
}
