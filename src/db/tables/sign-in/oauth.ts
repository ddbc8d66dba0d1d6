/** OAuth 2.0: applications, grants of users, and tokens. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** A program that acts for users who have authorized it. */
export interface OAuthApplicationTable {
  id: Generated<number>
  /** Its public id (`client_id`): random, not a secret. */
  uid: string
  /** SHA-256 of its secret in hexadecimal; null for a public client, which has none. */
  secret_digest: string | null
  name: string
  /** One per line. */
  redirect_uris: string
  /** Names of scopes that it may request, separated by spaces. */
  scopes: string
  /** Whether it can keep a secret because it runs on a server, not on devices of its users. */
  confidential: boolean
  /** Users are not asked for consent. */
  trusted: Generated<boolean>
  /** Whether it registered itself (`POST /oauth/register`), so that nobody here vouches for it. */
  registered: Generated<boolean>
  /** Null for applications of the instance. */
  owner_id: number | null
  created_at: Instant
}

/** An authorization given to an application. Codes and tokens issued for it end with it. */
export interface OAuthGrantTable {
  id: Generated<number>
  /** Null if a user got a token with their password, without an application. */
  application_id: number | null
  /** Null if the application acts for itself. */
  user_id: number | null
  /** Names of scopes, separated by spaces. */
  scopes: string
  /** Value that the client expects in id tokens. */
  nonce: string | null
  created_at: Instant
  revoked_at: Instant | null
}

/** An authorization code, with which an application gets its first token. */
export interface OAuthCodeTable {
  /** SHA-256 of the code in hexadecimal. */
  digest: string
  grant_id: number
  /** The code was sent to this URL, and the client must repeat it to redeem the code. */
  redirect_uri: string
  /** With it, a client that redeems the code proves that it requested the code (PKCE); null if the client sent none. */
  challenge: string | null
  challenge_method: 'plain' | 'S256' | null
  expires_at: Instant
  used_at: Instant | null
}

/** A device without a browser that waits for its user to authorize it. */
export interface OAuthDeviceCodeTable {
  /** SHA-256 of the device code in hexadecimal. */
  digest: string
  /** The code that the user types. It authorizes the device, but can't be used to get its token. */
  user_code: string
  application_id: number
  /** Names of scopes, separated by spaces. */
  scopes: string
  denied: Generated<boolean>
  /** Null until a user authorizes the device. */
  grant_id: number | null
  polled_at: Instant | null
  expires_at: Instant
}

export interface OAuthTokenTable {
  id: Generated<number>
  grant_id: number
  /** SHA-256 of the access token in hexadecimal. */
  digest: string
  /** SHA-256 of the refresh token; null if the client gets none. */
  refresh_digest: string | null
  /** Names of scopes, separated by spaces. */
  scopes: string
  created_at: Instant
  expires_at: Instant
  /** When another token replaced it: from then on neither of its two tokens is valid. */
  refreshed_at: Instant | null
  last_used_at: Instant | null
}

/** A key that signs id tokens. */
export interface OAuthKeyTable {
  /** Its thumbprint (RFC 7638), used as `kid`. */
  id: string
  /** JWK as JSON, sealed with the key of the instance. */
  private_key: string
  created_at: Instant
}

export type OAuthApplication = Selectable<OAuthApplicationTable>
export type OAuthGrant = Selectable<OAuthGrantTable>
export type OAuthCode = Selectable<OAuthCodeTable>
export type OAuthDeviceCode = Selectable<OAuthDeviceCodeTable>
export type OAuthToken = Selectable<OAuthTokenTable>

export interface OAuthTables {
  oauth_applications: OAuthApplicationTable
  oauth_codes: OAuthCodeTable
  oauth_device_codes: OAuthDeviceCodeTable
  oauth_grants: OAuthGrantTable
  oauth_keys: OAuthKeyTable
  oauth_tokens: OAuthTokenTable
}
