/** Pagination: its parameters, and the headers that link the pages (spec part 8). */
import { Type } from 'typebox'
import type { Keyset, Position } from '../../db/database.ts'
import { isSecret } from './redact.ts'

const maxPerPage = 100
const usualPerPage = 20

export const pageParameters = {
  page: Type.Integer({ maximum: 2 ** 31, default: 1, description: 'Page number; below 1, the first page' }),
  per_page: Type.Integer({ default: usualPerPage, description: `Items per page; maximum ${maxPerPage}; below 1, ${usualPerPage}` }),
}

export interface Page {
  page: number
  per_page: number
  limit: number
  offset: number
  /** The page that this is a part of, if the answer is written in parts. */
  whole?: { limit: number; offset: number }
  /** The requested keyset page, for lists that have them. */
  keyset?: Keyset | null
}

export interface Rows<T> {
  rows: T[]
  /** The length of the whole list. */
  total: number
  /** The token of the next page, null on the last one. Pages with tokens have no totals and no other links. */
  next_token?: string | null
  /** Position of the last row of a keyset page, after which the next one begins; null if there is none. */
  position?: Position | null
  /** Headers besides those of paging. */
  headers?: Record<string, string>
}

export function pageFrom(sent: { page: number; per_page: number }): Page {
  const page = Math.max(sent.page, 1)
  const limit = sent.per_page < 1 ? usualPerPage : Math.min(sent.per_page, maxPerPage)
  return { page, per_page: limit, limit, offset: (page - 1) * limit }
}

/** One page of a list that is in memory. */
export function slice<T>(all: T[], page: { limit: number; offset: number }): Rows<T> {
  return { rows: all.slice(page.offset, page.offset + page.limit), total: all.length }
}

/** One value of the `Link` header: the query as sent, without secrets, with other page parameters. */
export function pageLink(
  rel: string,
  { address, query }: { address: string; query: string },
  parameters: Record<string, string | number>,
): string {
  const replaced = new Set(['page', 'per_page', ...Object.keys(parameters)])
  const kept = query.split('&').filter((pair) => pair !== '' && !replaced.has(pair.split('=', 1)[0] ?? '') && !isSecret(pair))
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return `<${address}?${[...kept, ...added].join('&')}>; rel="${rel}"`
}

/**
 * @param address URL of the list, without its query
 * @param query as sent; links contain it without page parameters and secrets
 */
export function pageHeaders({ page, per_page }: Page, total: number, address: string, query: string): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / per_page))
  const next = page < last ? page + 1 : null
  const previous = page > 1 ? Math.min(page - 1, last) : null
  const link = (number: number, rel: string) => pageLink(rel, { address, query }, { page: number, per_page })
  return {
    'x-total': String(total),
    'x-total-pages': String(last),
    'x-per-page': String(per_page),
    'x-page': String(page),
    'x-next-page': next === null ? '' : String(next),
    'x-prev-page': previous === null ? '' : String(previous),
    link: [previous && link(previous, 'prev'), next && link(next, 'next'), link(1, 'first'), link(last, 'last')].filter(Boolean).join(', '),
  }
}
