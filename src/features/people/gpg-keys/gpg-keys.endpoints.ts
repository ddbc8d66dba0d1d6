/** GPG keys of users: stored and listed. */
import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { GpgKey, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, userById, within } from '../../../http/declare/within.ts'
import { Id, Instant, Message, none, resource } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { gpgKeyOfUser, gpgKeysOfUser } from './gpg-keys.queries.ts'
import { addGpgKey, removeGpgKey } from './gpg-keys.service.ts'

const Key = resource('GpgKey', {
  id: Type.Integer(),
  key: Type.String({ description: 'The public key in ASCII armor, as sent' }),
  created_at: Instant,
})

const sent = { key: Type.String({ description: 'A public key in ASCII armor, as written by gpg --armor --export' }) }

/** Revoking a key is the same as deleting it. */
const accepted = { message: '202 Accepted' }

const ownKey = nested({ gpg_key_id: Id }, async ({ user }: SignedIn, { gpg_key_id }, app) => ({
  key: await findKey(app.db, user, gpg_key_id),
}))
const keyOfOwner = nested({ gpg_key_id: Id }, async ({ owner }: { owner: User }, { gpg_key_id }, app) => ({
  key: await findKey(app.db, owner, gpg_key_id),
}))

const ownKeys = [
  listEndpoint('GET /user/gpg_keys', {
    summary: 'List the GPG keys of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    item: Key,
    handle: ({ app, user, page }) => listKeys(app.db, user, page),
  }),
  endpoint('GET /user/gpg_keys/:gpg_key_id', {
    summary: 'Get a GPG key of the current user',
    access: within(signedIn(), ownKey),
    scopes: ['read_user'],
    reply: Key,
    handle: ({ key }) => presentKey(key),
  }),
  endpoint('POST /user/gpg_keys', {
    summary: 'Add a GPG key to the current user',
    access: signedIn(),
    body: sent,
    reply: Key,
    handle: async ({ app, user, body }) => presentKey(await addGpgKey(app.db, user, body.key)),
  }),
  endpoint('POST /user/gpg_keys/:gpg_key_id/revoke', {
    summary: 'Revoke a GPG key of the current user; it is deleted',
    access: within(signedIn(), ownKey),
    reply: Message,
    status: 202,
    async handle({ app, key }) {
      await removeGpgKey(app.db, key)
      return accepted
    },
  }),
  endpoint('DELETE /user/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of the current user',
    access: within(signedIn(), ownKey),
    reply: none,
    lastChanged: ({ key }) => key.created_at,
    handle: ({ app, key }) => remove(app.db, key),
  }),
]

const keysOfOthers = [
  listEndpoint('GET /users/:id/gpg_keys', {
    summary: 'List the GPG keys of a user',
    access: within(administrator(), userById),
    scopes: ['read_user'],
    item: Key,
    handle: ({ app, owner, page }) => listKeys(app.db, owner, page),
  }),
  endpoint('GET /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Get a GPG key of a user',
    access: within(within(administrator(), userById), keyOfOwner),
    scopes: ['read_user'],
    reply: Key,
    handle: ({ key }) => presentKey(key),
  }),
  endpoint('POST /users/:id/gpg_keys', {
    summary: 'Add a GPG key to a user',
    access: within(administrator(), userById),
    body: sent,
    reply: Key,
    handle: async ({ app, owner, body }) => presentKey(await addGpgKey(app.db, owner, body.key)),
  }),
  endpoint('POST /users/:id/gpg_keys/:gpg_key_id/revoke', {
    summary: 'Revoke a GPG key of a user; it is deleted',
    access: within(within(administrator(), userById), keyOfOwner),
    reply: Message,
    status: 202,
    async handle({ app, key }) {
      await removeGpgKey(app.db, key)
      return accepted
    },
  }),
  endpoint('DELETE /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of a user',
    access: within(within(administrator(), userById), keyOfOwner),
    reply: none,
    lastChanged: ({ key }) => key.created_at,
    handle: ({ app, key }) => remove(app.db, key),
  }),
]

export const gpgKeys = [...ownKeys, ...keysOfOthers]

async function listKeys(db: Db, { id }: User, page: Page) {
  const { rows, total } = await gpgKeysOfUser(db, id, page)
  return { rows: rows.map(presentKey), total }
}

function presentKey({ id, key, created_at }: GpgKey): Static<typeof Key> {
  return { id, key, created_at }
}

async function findKey(db: Db, user: User, id: number): Promise<GpgKey> {
  const key = await gpgKeyOfUser(db, user.id, id)
  if (!key) throw notFound('GPG Key')
  return key
}

async function remove(db: Db, key: GpgKey): Promise<null> {
  await removeGpgKey(db, key)
  return null
}
