/** Authentication of applications: by their secret, or by their id alone if they can't keep one. */
import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '../../../access/tokens.ts'
import type { Db } from '../../../db/database.ts'
import type { OAuthApplication } from '../../../db/tables.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { applicationByUid } from '../oauth-applications/oauth-applications.ts'

/** The credentials in a request. */
export interface SentClient {
  authorization: string | undefined
  client_id: string | undefined
  client_secret: string | undefined
}

/** Throws `invalid_client` for an unknown application, and for a wrong secret; a public application must not send one. */
export async function authenticateClient(db: Db, sent: SentClient): Promise<OAuthApplication> {
  const client = await findClient(db, sent)
  if (!client) throw oauthFailure('invalid_client', 'The client did not identify itself.')
  return client
}

/** As `authenticateClient`; null if nothing was sent. */
export async function findClient(db: Db, sent: SentClient): Promise<OAuthApplication | null> {
  const basic = basicOf(sent.authorization)
  if (basic && (sent.client_secret !== undefined || (sent.client_id !== undefined && sent.client_id !== basic.id)))
    throw oauthFailure('invalid_request', 'The client identified itself in two ways.')
  const { id, secret } = basic ?? { id: sent.client_id, secret: sent.client_secret ?? '' }
  if (id === undefined) return null
  const application = await applicationByUid(db, id)
  if (!application || !fits(application, secret)) throw oauthFailure('invalid_client', 'The client is unknown, or its secret is wrong.')
  return application
}

function fits({ secret_digest }: OAuthApplication, secret: string): boolean {
  if (secret_digest === null) return secret === ''
  return timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(secret_digest))
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function basicOf(authorization: string | undefined): { id: string; secret: string } | null {
  const [, value] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? []
  if (value === undefined) return null
  const [id = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':')
  return { id: decoded(id), secret: decoded(rest.join(':')) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
