/** Changing users, for administrators (spec 4.7). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { Off } from '../../../http/parameters/schema.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import { changeLimits, limitParameter } from '../../storage/quotas/quotas.ts'
import { assertWholeIdentity } from './users.rules.ts'
import { settingsOfUser, UserAccount } from './users.schema.ts'
import { presentAccount } from './users.service.ts'
import { changeUser } from './writes.service.ts'

export const userWrites = [
  endpoint('PUT /users/:id', {
    summary: 'Update a user',
    access: within(administrator(), userById),
    body: {
      ...settingsOfUser,
      email: Type.Optional(Type.String({ description: 'Has to be confirmed unless skip_reconfirmation is set' })),
      username: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      skip_reconfirmation: Off,
      storage_size_limit: limitParameter('Of everything in the namespace of the user, in MB; null for that of the server, 0 for none'),
    },
    reply: UserAccount,
    // Clients of release 11.3 expect 404 for a name or address that is taken.
    statuses: { conflict: 404 },
    async handle({ app, user, owner, body: { storage_size_limit, ...body } }) {
      assertWholeIdentity(body)
      // An empty password is ignored.
      const changed = await changeUser(app, owner.id, { ...body, password: body.password || undefined })
      const own = storage_size_limit === undefined ? null : await findNamespace(app.db, { owner_id: owner.id })
      if (own) await changeLimits(app, { namespace_id: own.id }, { storage_size_limit })
      return presentAccount(app, changed, user)
    },
  }),
]
