/** Deleting users, for administrators (spec 4.7). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { Message, none, Off } from '../../../http/parameters/schema.ts'
import { deleteUser, rejectUser } from './user-deletion.service.ts'

export const userDeletion = [
  endpoint('DELETE /users/:id', {
    summary: 'Delete a user',
    access: within(administrator(), userById),
    body: {
      hard_delete: Type.Unsafe<boolean>({
        ...Off,
        description: 'Also delete their contributions, which otherwise go to the Ghost User, and groups without another owner',
      }),
    },
    reply: none,
    fails: ['conflict'],
    lastChanged: ({ owner }) => owner.updated_at,
    async handle({ app, owner, body }) {
      await deleteUser(app, owner.id, body)
      return null
    },
  }),
  endpoint('POST /users/:id/reject', {
    summary: 'Reject a user who has signed up',
    access: within(administrator(), userById),
    reply: Message,
    status: 200,
    fails: ['conflict'],
    async handle({ app, owner }) {
      await rejectUser(app, owner.id)
      return { message: 'Success' }
    },
  }),
]
