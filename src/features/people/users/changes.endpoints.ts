/** Changing, blocking and deleting users: all for administrators (spec 4.7). */
import { Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator } from '../../../http/rules.ts'
import { none, Off } from '../../../http/schema.ts'
import { blockUser, changeUser, unblockUser } from './changes.service.ts'
import { deleteUser } from './deletion.service.ts'
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
  endpoint('DELETE /users/:id', {
    summary: 'Delete a user',
    access: administrator(),
    params,
    body: {
      hard_delete: Type.Unsafe<boolean>({
        ...Off,
        description: 'Whether what he contributed is deleted too, rather than left to the Ghost User, and groups that he alone owns',
      }),
    },
    reply: none,
    fails: { conflict: 409, unmodified_since: 412 },
    async handle({ app, params, body, unmodifiedSince }) {
      const { id, updated_at } = await requireUser(app.db, params.id)
      requireUnmodified(unmodifiedSince, updated_at)
      await deleteUser(app, id, body)
      return null
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
