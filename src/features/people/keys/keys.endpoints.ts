/** SSH keys of users (spec 2.1, 4.7). */
import { Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import { missing, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import type { Page } from '../../../http/page.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator, signedIn } from '../../../http/rules.ts'
import { Id, none } from '../../../http/schema.ts'
import { UserNumber } from '../users/users.schema.ts'
import { presentKey, presentKeyWithUser } from './keys.present.ts'
import { keyById, keyOfUser, keysOfUser } from './keys.queries.ts'
import { Key, KeyWithUser } from './keys.schema.ts'
import { addUserKey, removeKey } from './keys.service.ts'

const sent = {
  title: Type.String({ description: 'What the key is called, such as the name of the machine it is on' }),
  key: Type.String({ description: 'The public key: the line in the file ending in .pub' }),
}

const ownKeys = [
  listEndpoint('GET /user/keys', {
    summary: 'List the SSH keys of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    item: Key,
    handle: ({ app, user, page }) => listKeys(app.db, user, page),
  }),
  endpoint('GET /user/keys/:key_id', {
    summary: 'Get an SSH key of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    params: { key_id: Id },
    reply: Key,
    handle: async ({ app, user, params }) => presentKey(await findOwn(app.db, user, params.key_id)),
  }),
  endpoint('POST /user/keys', {
    summary: 'Add an SSH key to the current user',
    access: signedIn(),
    body: sent,
    reply: Key,
    handle: async ({ app, user, body }) => presentKey(await addUserKey(app, user, body)),
  }),
  endpoint('DELETE /user/keys/:key_id', {
    summary: 'Delete an SSH key of the current user',
    access: signedIn(),
    params: { key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: ({ app, user, params, unmodifiedSince }) => removeOwn(app, user, params.key_id, unmodifiedSince),
  }),
]

const keysOfOthers = [
  listEndpoint('GET /users/:id/keys', {
    summary: 'List the SSH keys of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: UserNumber },
    item: Key,
    handle: async ({ app, params, page }) => listKeys(app.db, await requireUser(app.db, params.id), page),
  }),
  endpoint('POST /users/:id/keys', {
    summary: 'Add an SSH key to a user',
    access: administrator(),
    params: { id: UserNumber },
    body: sent,
    reply: Key,
    handle: async ({ app, params, body }) => presentKey(await addUserKey(app, await requireUser(app.db, params.id), body)),
  }),
  endpoint('DELETE /users/:id/keys/:key_id', {
    summary: 'Delete an SSH key of a user',
    access: administrator(),
    params: { id: UserNumber, key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, params, unmodifiedSince }) =>
      removeOwn(app, await requireUser(app.db, params.id), params.key_id, unmodifiedSince),
  }),
  endpoint('GET /keys/:id', {
    summary: 'Get any key, with its fingerprints and its user',
    access: administrator(),
    params: { id: Id },
    reply: KeyWithUser,
    async handle({ app, params }) {
      const found = await keyById(app.db, params.id)
      if (!found) throw missing()
      return presentKeyWithUser(app, found)
    },
  }),
]

export const keys = [...ownKeys, ...keysOfOthers]

async function listKeys(db: Db, user: User, page: Page) {
  const { rows, total } = await keysOfUser(db, user.id, page)
  return { rows: rows.map(presentKey), total }
}

async function removeOwn(app: App, user: User, id: number, unmodifiedSince: Date | null): Promise<null> {
  const key = await findOwn(app.db, user, id)
  requireUnmodified(unmodifiedSince, key.created_at)
  await removeKey(app, key)
  return null
}

async function findOwn(db: Db, user: User, id: number): Promise<SshKey> {
  const key = await keyOfUser(db, user.id, id)
  if (!key) throw notFound('Key')
  return key
}
