/** The memberships of a user, for administrators. */
import { Type } from 'typebox'
import { listEndpoint } from '../../../http/endpoint.ts'
import { administrator } from '../../../http/rules.ts'
import { oneOf, resource } from '../../../http/schema.ts'
import { userById, within } from '../../../http/within.ts'
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
