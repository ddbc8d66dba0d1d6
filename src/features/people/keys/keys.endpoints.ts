/** SSH keys of users (spec 2.1, 4.7). */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import { missing, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, userById, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { presentKey, presentKeyWithUser } from './keys.present.ts'
import { keyById, keyOfUser, keysOfUser, keyWithFingerprint } from './keys.queries.ts'
import { readFingerprint } from './keys.rules.ts'
import { Key, KeyWithUser } from './keys.schema.ts'
import { addUserKey, removeKey } from './keys.service.ts'

const sent = {
  title: Type.String({ description: 'Name of the key, such as the machine it is on' }),
  key: Type.String({ description: 'The public key: the line in the .pub file' }),
}

const ownKey = nested({ key_id: Id }, async ({ user }: SignedIn, { key_id }, app) => ({ key: await findKey(app.db, user, key_id) }))
const keyOfOwner = nested({ key_id: Id }, async ({ owner }: { owner: User }, { key_id }, app) => ({
  key: await findKey(app.db, owner, key_id),
}))
const anyKey = nested({ id: Id }, async (_: SignedIn, { id }, app) => {
  const key = await keyById(app.db, id)
  if (!key) throw missing()
  return { key }
})

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
    access: within(signedIn(), ownKey),
    scopes: ['read_user'],
    reply: Key,
    handle: ({ key }) => presentKey(key),
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
    access: within(signedIn(), ownKey),
    reply: none,
    lastChanged: ({ key }) => key.created_at,
    handle: ({ app, key }) => remove(app, key),
  }),
]

const keysOfOthers = [
  listEndpoint('GET /users/:id/keys', {
    summary: 'List the SSH keys of a user',
    access: within(administrator(), userById),
    scopes: ['read_user'],
    item: Key,
    handle: ({ app, owner, page }) => listKeys(app.db, owner, page),
  }),
  endpoint('GET /users/:id/keys/:key_id', {
    summary: 'Get an SSH key of a user',
    access: within(within(administrator(), userById), keyOfOwner),
    scopes: ['read_user'],
    reply: Key,
    handle: ({ key }) => presentKey(key),
  }),
  endpoint('POST /users/:id/keys', {
    summary: 'Add an SSH key to a user',
    access: within(administrator(), userById),
    body: sent,
    reply: Key,
    handle: async ({ app, owner, body }) => presentKey(await addUserKey(app, owner, body)),
  }),
  endpoint('DELETE /users/:id/keys/:key_id', {
    summary: 'Delete an SSH key of a user',
    access: within(within(administrator(), userById), keyOfOwner),
    reply: none,
    lastChanged: ({ key }) => key.created_at,
    handle: ({ app, key }) => remove(app, key),
  }),
  endpoint('GET /keys', {
    summary: 'Find an SSH key of any kind by its fingerprint',
    operationId: 'findKey',
    access: administrator(),
    query: { fingerprint: Type.String({ description: 'SHA256:…, or MD5 in pairs of digits with colons between them' }) },
    reply: KeyWithUser,
    async handle({ app, query }) {
      const key = await keyWithFingerprint(app.db, readFingerprint(query.fingerprint))
      if (!key) throw notFound('Key')
      return presentKeyWithUser(app, key)
    },
  }),
  endpoint('GET /keys/:id', {
    summary: 'Get an SSH key of any kind, with its fingerprints and its user',
    access: within(administrator(), anyKey),
    reply: KeyWithUser,
    handle: ({ app, key }) => presentKeyWithUser(app, key),
  }),
]

export const keys = [...ownKeys, ...keysOfOthers]

async function listKeys(db: Db, user: User, page: Page) {
  const { rows, total } = await keysOfUser(db, user.id, page)
  return { rows: rows.map(presentKey), total }
}

async function remove(app: App, key: SshKey): Promise<null> {
  await removeKey(app, key)
  return null
}

async function findKey(db: Db, user: User, id: number): Promise<SshKey> {
  const key = await keyOfUser(db, user.id, id)
  if (!key) throw notFound('Key')
  return key
}
