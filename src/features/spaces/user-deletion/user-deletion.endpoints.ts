/** Deleting users, for administrators (spec 4.7). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { none, Off } from '../../../http/parameters/schema.ts'
import { deleteUser } from './user-deletion.service.ts'

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
]
