/** Deleting users, for administrators (spec 4.7). */
import { Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator } from '../../../http/rules.ts'
import { none, Off } from '../../../http/schema.ts'
import { UserNumber } from '../users/users.schema.ts'
import { deleteUser } from './user-deletion.service.ts'

export const userDeletion = [
  endpoint('DELETE /users/:id', {
    summary: 'Delete a user',
    access: administrator(),
    params: { id: UserNumber },
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
]
