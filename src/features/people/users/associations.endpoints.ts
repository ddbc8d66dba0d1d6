/** How much belongs to a user, for administrators and for themselves: what somebody looks at before an account is deleted. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrators, only, self, signedIn } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { countAssociations } from './associations.queries.ts'

const Associations = resource('UserAssociations', {
  groups_count: Type.Integer({ description: 'Groups they are a direct member of' }),
  projects_count: Type.Integer({ description: 'Projects in their namespace, and those they are a direct member of' }),
  issues_count: Type.Integer({ description: 'Issues they created' }),
  merge_requests_count: Type.Integer({ description: 'Merge requests they created' }),
})

export const userAssociations = [
  endpoint('GET /users/:id/associations_count', {
    summary: 'Count the groups, projects, issues and merge requests of a user',
    access: only(within(signedIn(), userById), administrators, self('id')),
    reply: Associations,
    handle: ({ app, owner }) => countAssociations(app.db, owner.id),
  }),
]
