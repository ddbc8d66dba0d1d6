/** The memberships of a user, for administrators. */
import { Type } from 'typebox'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { oneOf, resource } from '../../../http/parameters/schema.ts'
import { listMemberships } from './members.queries.ts'

const sourceType = oneOf('Project', 'Namespace')

export const memberships = [
  listEndpoint('GET /users/:id/memberships', {
    summary: 'List the memberships of a user',
    access: within(administrator(), userById),
    query: { type: Type.Optional(sourceType) },
    item: resource('Membership', {
      source_id: Type.Integer(),
      source_name: Type.String(),
      source_type: sourceType,
      access_level: Type.Integer(),
    }),
    handle: ({ app, owner, query, page }) => listMemberships(app.db, owner.id, query.type, page),
  }),
]
