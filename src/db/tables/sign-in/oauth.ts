/** OAuth 2.0: applications, what users allow them, and their tokens. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** A program that acts for users who let it. */
export interface OAuthApplicationTable {
  id: Generated<number>
  /** Its id as clients know it (`client_id`): random, and no secret. */
  uid: string
  /** SHA-256 of its secret in hexadecimal; null for a public one, which has none. */
  secret_digest: string | null
  name: string
  /** One a line. */
  redirect_uris: string
  /** Names of scopes that it may ask for, separated by spaces. */
  scopes: string
  /** Whether it can keep a secret: runs on a server, and not on devices of its users. */
  confidential: boolean
  /** Users aren't asked. */
  trusted: Generated<boolean>
  /** It registered itself (`POST /oauth/register`): nobody here knows it. */
  registered: Generated<boolean>
  /** Null for those of the instance. */
  owner_id: number | null
  created_at: Instant
}

/** What somebody allowed an application, once. What it led to, codes and tokens, ends with it. */
export interface OAuthGrantTable {
  id: Generated<number>
  /** Null where a user got a token by their password, without an application. */
  application_id: number | null
  /** Null where the application acts for itself. */
  user_id: number | null
  /** Names of scopes, separated by spaces. */
  scopes: string
  /** What the client wants to see in id tokens. */
  nonce: string | null
  created_at: Instant
  revoked_at: Instant | null
}

/** A code for which an application gets its first token. */
export interface OAuthCodeTable {
  /** SHA-256 of the code in hexadecimal. */
  digest: string
  grant_id: number
  /** Where the code was sent: whoever redeems it must say so. */
  redirect_uri: string
  /** By it, who redeems the code proves that they asked for it (PKCE); null where the client sent none. */
  challenge: string | null
  challenge_method: 'plain' | 'S256' | null
  expires_at: Instant
  used_at: Instant | null
}

/** A device without a browser that waits for its user to allow it. */
export interface OAuthDeviceCodeTable {
  /** SHA-256 of the code of the device in hexadecimal. */
  digest: string
  /** What the user types. Good for letting the device in, not for getting its token. */
  user_code: string
  application_id: number
  /** Names of scopes, separated by spaces. */
  scopes: string
  denied: Generated<boolean>
  /** Null until a user allows it. */
  grant_id: number | null
  polled_at: Instant | null
  expires_at: Instant
}

export interface OAuthTokenTable {
  id: Generated<number>
  grant_id: number
  /** SHA-256 of the access token in hexadecimal. */
  digest: string
  /** Of the token by which it is replaced; null where the client gets none. */
  refresh_digest: string | null
  /** Names of scopes, separated by spaces. */
  scopes: string
  created_at: Instant
  expires_at: Instant
  /** When another one replaced it: from then on neither of the two is good for anything. */
  refreshed_at: Instant | null
  last_used_at: Instant | null
}

/** A key by which id tokens are signed. */
export interface OAuthKeyTable {
  /** Its thumbprint (RFC 7638), as `kid`. */
  id: string
  /** As JSON (JWK), sealed by the key of the instance. */
  private_key: string
  created_at: Instant
}

export type OAuthApplication = Selectable<OAuthApplicationTable>
export type OAuthGrant = Selectable<OAuthGrantTable>
export type OAuthCode = Selectable<OAuthCodeTable>
export type OAuthDeviceCode = Selectable<OAuthDeviceCodeTable>
export type OAuthToken = Selectable<OAuthTokenTable>
