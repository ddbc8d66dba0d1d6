/** The key of the instance that signs id tokens, created when it is first needed. */
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { App } from '../../../app.ts'
import { now } from '../../../db/instants.ts'
import { insertKey, listKeys } from './signing-keys.queries.ts'

/** The algorithm that every OpenID Connect client supports. */
export const signingAlgorithm = 'RS256'

const sealedFor = 'oauth_keys.private_key'

interface SigningKey {
  id: string
  key: CryptoKey | Uint8Array
}

/** Unsealed and parsed once per process. */
const opened = new WeakMap<App, Promise<SigningKey>>()

/** A signed token with these claims. */
export async function signToken(app: App, claims: JWTPayload): Promise<string> {
  const { id, key } = await signingKey(app)
  return new SignJWT(claims).setProtectedHeader({ alg: signingAlgorithm, kid: id, typ: 'JWT' }).sign(key)
}

/** A public RSA key, as it is published. */
export interface PublicKey {
  kty: string
  kid: string
  e: string
  n: string
  use: string
  alg: string
}

/** The keys for verifying signatures (JWKS). */
export async function publicKeys(app: App): Promise<PublicKey[]> {
  await signingKey(app)
  const rows = await listKeys(app.db)
  return rows.map(({ id, private_key }) => {
    const { kty = '', n = '', e = '' } = JSON.parse(app.secrets.unseal(private_key, sealedFor)) as JWK
    return { kty, kid: id, e, n, use: 'sig', alg: signingAlgorithm }
  })
}

function signingKey(app: App): Promise<SigningKey> {
  const known = opened.get(app)
  if (known) return known
  const opening = openKey(app)
  opened.set(app, opening)
  opening.catch(() => opened.delete(app))
  return opening
}

/** The oldest key. If two were created concurrently, both are published, so either may sign. */
async function openKey(app: App): Promise<SigningKey> {
  const [row] = await listKeys(app.db)
  const { id, private_key } = row ?? (await makeKey(app))
  const jwk = JSON.parse(app.secrets.unseal(private_key, sealedFor)) as JWK
  return { id, key: await importJWK(jwk, signingAlgorithm) }
}

async function makeKey(app: App) {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const id = await calculateJwkThumbprint(jwk)
  const row = { id, private_key: app.secrets.seal(JSON.stringify(jwk), sealedFor), created_at: now() }
  await insertKey(app.db, row)
  return row
}
