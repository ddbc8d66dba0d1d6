/** Changing and blocking users, for administrators (spec 4.7). */
import { Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { administrator } from '../../../http/rules.ts'
import { Off } from '../../../http/schema.ts'
import { blockUser, changeUser, unblockUser } from './changes.service.ts'
import { assertWholeIdentity } from './users.rules.ts'
import { settingsOfUser, UserAccount, UserNumber } from './users.schema.ts'
import { presentAccount } from './users.service.ts'

const params = { id: UserNumber }

export const userChanges = [
  endpoint('PUT /users/:id', {
    summary: 'Change a user',
    access: administrator(),
    params,
    body: {
      ...settingsOfUser,
      email: Type.Optional(Type.String({ description: 'Waits to be confirmed unless skip_reconfirmation is sent' })),
      username: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      skip_reconfirmation: Off,
    },
    reply: UserAccount,
    // The interface is documented so: what is taken is not found.
    fails: { conflict: 404 },
    async handle({ app, user, params, body }) {
      const { id } = await requireUser(app.db, params.id)
      assertWholeIdentity(body)
      // An empty password is none.
      const changed = await changeUser(app, id, { ...body, password: body.password || undefined })
      return presentAccount(app, changed, user)
    },
  }),
  endpoint('POST /users/:id/block', {
    summary: 'Block a user: he can no longer do anything here',
    access: administrator(),
    params,
    reply: Type.Boolean({ description: 'False where he was blocked already' }),
    handle: async ({ app, params }) => blockUser(app, (await requireUser(app.db, params.id)).id),
  }),
  endpoint('POST /users/:id/unblock', {
    summary: 'Unblock a user',
    access: administrator(),
    params,
    reply: Type.Boolean({ description: 'False where he was not blocked' }),
    handle: async ({ app, params }) => unblockUser(app, (await requireUser(app.db, params.id)).id),
  }),
]
