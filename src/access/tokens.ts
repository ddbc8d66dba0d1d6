/** Access tokens: shown once, stored as a digest, and looked up by the digest. */
import { hash, randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { now, today } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { AccessTokenTable, Day, Instant, User, UserState } from '../db/tables.ts'
import { noteActivity } from './activity.ts'
import type { Scope } from './levels.ts'
import { mayAct } from './states.ts'
import { awaitsTerms, termsInForce } from './terms.ts'

/** A token. An impersonation token has the state of its creator, or null once they are no longer an administrator. */
export type AccessToken = Selectable<AccessTokenTable> & { maker_state: UserState | null }

export type TokenState = 'valid' | 'expired' | 'revoked'

/** Prefixes that make leaked tokens recognizable and distinguish their kinds. */
const kindsByPrefix = {
  gst: 'access',
  gstdt: 'deploy',
  gstlfs: 'lfs',
  gstft: 'feed',
  gstjt: 'job',
  gstoa: 'oauth',
  gstor: 'oauth-refresh',
  gstos: 'oauth-secret',
} as const

type Prefix = keyof typeof kindsByPrefix
export type TokenKind = (typeof kindsByPrefix)[Prefix]

/** A prefix followed by 20 random bytes. */
export function newToken(prefix: Prefix = 'gst'): string {
  return `${prefix}-${randomBytes(20).toString('hex')}`
}

/**
 * The kind of token that a secret has the format of; null for everything else: passwords, and access tokens that someone chose. The one
 * place that knows the formats.
 */
export function kindOfToken(secret: string): TokenKind | null {
  const [, prefix = ''] = /^(gst[a-z]*)-[0-9a-f]{40}$/.exec(secret) ?? []
  return Object.hasOwn(kindsByPrefix, prefix) ? kindsByPrefix[prefix as Prefix] : null
}

export function digestOf(token: string): string {
  return hash('sha256', token)
}

export interface NewToken {
  user_id: number
  name: string
  description?: string | null
  scopes: readonly Scope[]
  expires_on?: Day | null
  /** Whether it is for acting as the user, and the administrator who creates it for that. */
  impersonation?: boolean
  created_by_id?: number | null
  /** A token chosen by the caller; random by default. */
  token?: string | null
  /** The project or group that the token belongs to, and the level of its bot user there. */
  project_id?: number | null
  namespace_id?: number | null
  access_level?: number | null
  /** The first token of its chain of rotations. */
  family_id?: number | null
}

/** Stores a token and returns it: this is the only time it can be seen. */
export async function createToken(db: Db, input: NewToken): Promise<string> {
  return (await mintToken(db, input)).token
}

/** As `createToken`, but also returns the stored row. */
export async function mintToken(
  db: Db,
  { scopes, expires_on = null, token, description = null, ...input }: NewToken,
): Promise<{ token: string; row: AccessToken }> {
  const fresh = token ?? newToken()
  const row = await db
    .insertInto('access_tokens')
    .values({
      ...input,
      digest: digestOf(fresh),
      scopes: scopes.join(' '),
      expires_on,
      description,
      revoked: false,
      created_at: now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { token: fresh, row: { ...row, maker_state: row.created_by_id === null ? null : 'active' } }
}

interface FoundToken {
  user: User
  scopes: Scope[]
  token_id: number
  state: TokenState
  /** Whether the user must accept the terms first. */
  awaits_terms: boolean
}

/** The user, scopes and state of a token; null if it is unknown. */
export async function findToken(db: Db, token: string): Promise<FoundToken | null> {
  const [found] = await tokenByDigest(db, digestOf(token))
  if (!found) return null
  const { user, token_id, scopes } = found
  const state = stateOf(found)
  if (state === 'valid' && mayAct(user)) {
    await noteUse(db, found)
    await noteActivity(db, user)
  }
  return { user, token_id, scopes, state, awaits_terms: awaitsTerms(user, found.terms_in_force) }
}

/** The column `maker_state` for queries of tokens. */
export function stateOfMaker(db: Db) {
  return db
    .selectFrom('users as makers')
    .select('makers.state')
    .where('makers.id', '=', sql.ref<number>('access_tokens.created_by_id'))
    .where('makers.admin', '=', true)
    .as('maker_state')
}

type Lasting = Pick<AccessToken, 'revoked' | 'expires_on' | 'created_by_id' | 'maker_state'>

/** A token expires at the beginning of its expiry day. An impersonation token ends when its creator is no active administrator any more. */
export function stateOf({ revoked, expires_on, created_by_id, maker_state }: Lasting): TokenState {
  if (revoked || (created_by_id !== null && !mayAct({ state: maker_state }))) return 'revoked'
  return expires_on !== null && expires_on <= today() ? 'expired' : 'valid'
}

const useIsNoted_ms = 10 * 60_000

/** At most every ten minutes; a failure doesn't fail the request. */
export async function noteUse(
  db: Db,
  { token_id, last_used_at }: { token_id: number; last_used_at: Instant | null },
  table: 'access_tokens' | 'oauth_tokens' = 'access_tokens',
): Promise<void> {
  if (last_used_at !== null && Date.now() - Date.parse(last_used_at) < useIsNoted_ms) return
  await db
    .updateTable(table)
    .set({ last_used_at: now() })
    .where('id', '=', token_id)
    .execute()
    .catch(() => {})
}

const tokenByDigest = prepared(
  (db: Db, digest: string) =>
    db
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .selectAll('users')
      .select([
        'access_tokens.id as token_id',
        'access_tokens.scopes',
        'access_tokens.expires_on',
        'access_tokens.revoked',
        'access_tokens.last_used_at',
        'access_tokens.created_by_id',
      ])
      .select([termsInForce(db), stateOfMaker(db)])
      .where('access_tokens.digest', '=', digest),
  ({ token_id, scopes, expires_on, revoked, last_used_at, created_by_id, maker_state, terms_in_force, ...user }) => ({
    user,
    token_id,
    scopes: scopes.split(' ') as Scope[],
    expires_on,
    revoked,
    last_used_at,
    created_by_id,
    maker_state,
    terms_in_force,
  }),
)
