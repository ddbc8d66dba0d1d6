/** Counts of everything on the instance, for administrators. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { countEverything } from './statistics.queries.ts'

const count = Type.Integer()

export const statistics = [
  endpoint('GET /application/statistics', {
    summary: 'Count the users, groups, projects and other things of the instance',
    operationId: 'getApplicationStatistics',
    access: administrator(),
    reply: resource('ApplicationStatistics', {
      forks: count,
      issues: count,
      merge_requests: count,
      notes: Type.Integer({ description: 'Of people, not of the system' }),
      snippets: count,
      ssh_keys: Type.Integer({ description: 'Of users' }),
      milestones: count,
      users: count,
      groups: count,
      projects: count,
      active_users: Type.Integer({ description: 'Users who are not blocked' }),
    }),
    handle: ({ app }) => countEverything(app.db),
  }),
]
