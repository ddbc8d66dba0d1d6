/** Identities of users at providers of sign-ins, for administrators. */
import { Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { nested, userById, within } from '../../../http/declare/within.ts'
import { none } from '../../../http/parameters/schema.ts'
import { deleteIdentity, identitiesOf } from './identities.queries.ts'

const identityOfOwner = nested({ provider: Type.String() }, async ({ owner }: { owner: User }, { provider }, app) => {
  const identity = (await identitiesOf(app.db, [owner.id])).find((one) => one.provider === provider)
  if (!identity) throw notFound('Identity')
  return { identity }
})

export const identities = [
  endpoint('DELETE /users/:id/identities/:provider', {
    summary: 'Delete an identity of a user, who can no longer sign in through this provider',
    access: within(within(administrator(), userById), identityOfOwner),
    reply: none,
    async handle({ app, identity: { user_id, provider } }) {
      await deleteIdentity(app.db, user_id, provider)
      return null
    },
  }),
]
