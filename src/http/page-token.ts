/** Pages with tokens instead of numbers: each begins after a name, for lists that come from git (`pagination=keyset`). */
import { Type } from 'typebox'
import { badParameter } from '../failure.ts'
import type { Page, Rows } from './page.ts'
import { isSecret } from './redact.ts'

/** Parameters of lists whose pages also have tokens. */
export const tokenParameters = {
  pagination: Type.Optional(Type.Unsafe<'keyset' | 'legacy'>({ type: 'string', enum: ['keyset', 'legacy'] })),
  page_token: Type.Optional(Type.String({ description: 'Of the next page, from the Link header; with pagination=keyset' })),
}

interface TokenQuery {
  pagination?: 'keyset' | 'legacy' | undefined
  page_token?: string | undefined
}

/** Where a page begins: after a name with keyset pagination, otherwise at its number. Throws 400 for a token that is none of ours. */
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

/** The token of the next page, for `Rows`; nothing where pages have numbers. */
export function nextPage({ pagination }: TokenQuery, more: boolean, last: string | undefined): Pick<Rows<unknown>, 'next_token'> {
  if (pagination !== 'keyset') return {}
  return { next_token: more && last !== undefined ? tokenOf(last) : null }
}

function tokenOf(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url')
}

/** The link to the next page of keyset pagination, and none on the last. */
export function tokenHeaders({ per_page }: Page, next: string | null, address: string, query: string): Record<string, string> {
  const kept = query.split('&').filter((pair) => pair !== '' && !/^(page|per_page|page_token)(=|$)/.test(pair) && !isSecret(pair))
  const link = `<${address}?${[...kept, `page_token=${next}`, `per_page=${per_page}`].join('&')}>; rel="next"`
  return { 'x-per-page': String(per_page), ...(next !== null && { link }) }
}
