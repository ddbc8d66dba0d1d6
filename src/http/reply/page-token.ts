/**
 * Keyset pages of lists from git (`pagination=keyset`): each begins after the name in `page_token`. Lists from the database have `cursor`
 * instead (`keyset.ts`). The reference has both names, so clients know them.
 */
import { Type } from 'typebox'
import { badParameter } from '../../failure.ts'
import { type Page, pageLink, type Rows } from './page.ts'

/** Parameters of lists whose pages also have tokens. */
export const tokenParameters = {
  pagination: Type.Optional(Type.Unsafe<'keyset' | 'legacy'>({ type: 'string', enum: ['keyset', 'legacy'] })),
  page_token: Type.Optional(Type.String({ description: 'Of the next page, from the Link header; with pagination=keyset' })),
}

interface TokenQuery {
  pagination?: 'keyset' | 'legacy' | undefined
  page_token?: string | undefined
}

/** The start of a page: after a name with keyset pagination, otherwise by its number. Throws 400 for an invalid token. */
export function startOfPage(
  { pagination, page_token = '' }: TokenQuery,
  { limit, offset }: Page,
): { limit: number; offset: number; after?: string } {
  if (pagination !== 'keyset') return { limit, offset }
  if (page_token === '') return { limit, offset: 0 }
  const after = Buffer.from(page_token, 'base64url').toString('utf8')
  if (tokenOf(after) !== page_token) throw badParameter('page_token is invalid')
  return { limit, offset: 0, after }
}

/** The token of the next page, for `Rows`; nothing for numbered pages. */
export function nextPage({ pagination }: TokenQuery, more: boolean, last: string | undefined): Pick<Rows<unknown>, 'next_token'> {
  if (pagination !== 'keyset') return {}
  return { next_token: more && last !== undefined ? tokenOf(last) : null }
}

function tokenOf(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url')
}

/** The link to the next page; none on the last one. */
export function tokenHeaders({ per_page }: Page, next: string | null, address: string, query: string): Record<string, string> {
  if (next === null) return { 'x-per-page': String(per_page) }
  return { 'x-per-page': String(per_page), link: pageLink('next', { address, query }, { page_token: next, per_page }) }
}
