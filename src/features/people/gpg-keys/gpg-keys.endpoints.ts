/** The GPG keys of users: stored and listed. */
import { type Static, Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import type { Db } from '../../../db/database.ts'
import type { GpgKey, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import type { Page } from '../../../http/page.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator, signedIn } from '../../../http/rules.ts'
import { Id, Instant, Message, none, resource } from '../../../http/schema.ts'
import { UserNumber } from '../users/users.schema.ts'
import { deleteGpgKey, gpgKeyOfUser, gpgKeysOfUser } from './gpg-keys.queries.ts'
import { addGpgKey } from './gpg-keys.service.ts'

const Key = resource('GpgKey', {
  id: Type.Integer(),
  key: Type.String({ description: 'The public key in ASCII armour, as it was sent' }),
  created_at: Instant,
})

const sent = { key: Type.String({ description: 'A public key in ASCII armour, as gpg --armor --export writes it' }) }

/** That it was done. Revoking is deleting as long as nothing is verified with the keys. */
const accepted = { message: '202 Accepted' }

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
    access: signedIn(),
    scopes: ['read_user'],
    params: { gpg_key_id: Id },
    reply: Key,
    handle: async ({ app, user, params }) => presentKey(await findKey(app.db, user, params.gpg_key_id)),
  }),
  endpoint('POST /user/gpg_keys', {
    summary: 'Add a GPG key to the current user',
    access: signedIn(),
    body: sent,
    reply: Key,
    handle: async ({ app, user, body }) => presentKey(await addGpgKey(app.db, user.id, body.key)),
  }),
  endpoint('POST /user/gpg_keys/:gpg_key_id/revoke', {
    summary: 'Revoke a GPG key of the current user: it is deleted, and vouches for nothing any more',
    access: signedIn(),
    params: { gpg_key_id: Id },
    reply: Message,
    status: 202,
    async handle({ app, user, params }) {
      await removeKey(app.db, user, params.gpg_key_id)
      return accepted
    },
  }),
  endpoint('DELETE /user/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of the current user',
    access: signedIn(),
    params: { gpg_key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: ({ app, user, params, unmodifiedSince }) => removeKey(app.db, user, params.gpg_key_id, unmodifiedSince),
  }),
]

const keysOfOthers = [
  listEndpoint('GET /users/:id/gpg_keys', {
    summary: 'List the GPG keys of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: UserNumber },
    item: Key,
    handle: async ({ app, params, page }) => listKeys(app.db, await requireUser(app.db, params.id), page),
  }),
  endpoint('GET /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Get a GPG key of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: UserNumber, gpg_key_id: Id },
    reply: Key,
    handle: async ({ app, params }) => presentKey(await findKey(app.db, await requireUser(app.db, params.id), params.gpg_key_id)),
  }),
  endpoint('POST /users/:id/gpg_keys', {
    summary: 'Add a GPG key to a user',
    access: administrator(),
    params: { id: UserNumber },
    body: sent,
    reply: Key,
    async handle({ app, params, body }) {
      const { id } = await requireUser(app.db, params.id)
      return presentKey(await addGpgKey(app.db, id, body.key))
    },
  }),
  endpoint('POST /users/:id/gpg_keys/:gpg_key_id/revoke', {
    summary: 'Revoke a GPG key of a user: it is deleted, and vouches for nothing any more',
    access: administrator(),
    params: { id: UserNumber, gpg_key_id: Id },
    reply: Message,
    status: 202,
    async handle({ app, params }) {
      await removeKey(app.db, await requireUser(app.db, params.id), params.gpg_key_id)
      return accepted
    },
  }),
  endpoint('DELETE /users/:id/gpg_keys/:gpg_key_id', {
    summary: 'Delete a GPG key of a user',
    access: administrator(),
    params: { id: UserNumber, gpg_key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, params, unmodifiedSince }) =>
      removeKey(app.db, await requireUser(app.db, params.id), params.gpg_key_id, unmodifiedSince),
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

async function removeKey(db: Db, user: User, id: number, unmodifiedSince: Date | null = null): Promise<null> {
  const key = await findKey(db, user, id)
  requireUnmodified(unmodifiedSince, key.created_at)
  await deleteGpgKey(db, key.id)
  return null
}
