/** The GPG keys of users: stored and listed. */
import { type Static, Type } from 'typebox'
import { findUser } from '../../access/users.ts'
import type { Db } from '../../db/database.ts'
import type { GpgKey } from '../../db/people-tables.ts'
import { notFound } from '../../failure.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import type { Page } from '../../http/page.ts'
import { administrator, signedIn } from '../../http/rules.ts'
import { Id, Instant, none } from '../../http/schema.ts'
import { requireUnmodified } from '../../http/unmodified.ts'
import { deleteGpgKey, gpgKeyOfUser, gpgKeysOfUser } from './gpg-keys.queries.ts'
import { addGpgKey } from './gpg-keys.service.ts'

const Key = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'The public key in ASCII armour, as it was sent' }),
  created_at: Instant,
})

const sent = { key: Type.String({ description: 'A public key in ASCII armour, as gpg --armor --export writes it' }) }

const ownKeys = [
  listEndpoint('GET /user/gpg_keys', {
    summary: 'List the GPG keys of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    item: Key,
    handle: ({ app, user, page }) => listKeys(app.db, user.id, page),
  }),
  endpoint('GET /user/gpg_keys/:gpg_key_id', {
    summary: 'Get a GPG key of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    params: { gpg_key_id: Id },
    reply: Key,
    handle: async ({ app, user, params }) => presentKey(await findKey(app.db, user.id, params.gpg_key_id)),
  }),
  endpoint('POST /user/gpg_keys', {
    summary: 'Add a GPG key to the current user',
    access: signedIn(),
    body: sent,
    reply: Key,
    handle: async ({ app, user, body }) => presentKey(await addGpgKey(app.db, user.id, body.key)),
  }),
  endpoint('DELETE /user/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of the current user',
    access: signedIn(),
    params: { gpg_key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: ({ app, user, params, unmodifiedSince }) => removeKey(app.db, user.id, params.gpg_key_id, unmodifiedSince),
  }),
]

const keysOfOthers = [
  listEndpoint('GET /users/:id/gpg_keys', {
    summary: 'List the GPG keys of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: Id },
    item: Key,
    handle: async ({ app, params, page }) => listKeys(app.db, await requireUser(app.db, params.id), page),
  }),
  endpoint('GET /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Get a GPG key of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: Id, gpg_key_id: Id },
    reply: Key,
    handle: async ({ app, params }) => presentKey(await findKey(app.db, await requireUser(app.db, params.id), params.gpg_key_id)),
  }),
  endpoint('POST /users/:id/gpg_keys', {
    summary: 'Add a GPG key to a user',
    access: administrator(),
    params: { id: Id },
    body: sent,
    reply: Key,
    handle: async ({ app, params, body }) => presentKey(await addGpgKey(app.db, await requireUser(app.db, params.id), body.key)),
  }),
  endpoint('DELETE /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of a user',
    access: administrator(),
    params: { id: Id, gpg_key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, params, unmodifiedSince }) =>
      removeKey(app.db, await requireUser(app.db, params.id), params.gpg_key_id, unmodifiedSince),
  }),
]

export const gpgKeys = [...ownKeys, ...keysOfOthers]

async function listKeys(db: Db, userId: number, page: Page) {
  const { rows, total } = await gpgKeysOfUser(db, userId, page)
  return { rows: rows.map(presentKey), total }
}

function presentKey({ id, key, created_at }: GpgKey): Static<typeof Key> {
  return { id, key, created_at }
}

async function findKey(db: Db, userId: number, id: number): Promise<GpgKey> {
  const key = await gpgKeyOfUser(db, userId, id)
  if (!key) throw notFound('GPG Key')
  return key
}

async function removeKey(db: Db, userId: number, id: number, unmodifiedSince: Date | null): Promise<null> {
  const key = await findKey(db, userId, id)
  requireUnmodified(unmodifiedSince, key.created_at)
  await deleteGpgKey(db, key.id)
  return null
}

async function requireUser(db: Db, id: number): Promise<number> {
  const user = await findUser(db, String(id))
  if (!user) throw notFound('User')
  return user.id
}
