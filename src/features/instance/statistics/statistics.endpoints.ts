/** How much there is of everything, for administrators. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { administrator } from '../../../http/rules.ts'
import { resource } from '../../../http/schema.ts'
import { countEverything } from './statistics.queries.ts'

const count = Type.Integer()
const none = Type.Integer({ description: '0: the instance has none so far' })

export const statistics = [
  endpoint('GET /application/statistics', {
    summary: 'Count the users, groups, projects and other things of the instance',
    operationId: 'getApplicationStatistics',
    access: administrator(),
    reply: resource('ApplicationStatistics', {
      forks: count,
      issues: none,
      merge_requests: none,
      notes: Type.Integer({ description: 'Comments on commits' }),
      snippets: none,
      ssh_keys: Type.Integer({ description: 'Of users' }),
      milestones: none,
      users: count,
      groups: count,
      projects: count,
      active_users: Type.Integer({ description: 'Users who are not blocked' }),
    }),
    async handle({ app }) {
      const { forks, notes, ssh_keys, users, groups, projects, active_users } = await countEverything(app.db)
      return { forks, issues: 0, merge_requests: 0, notes, snippets: 0, ssh_keys, milestones: 0, users, groups, projects, active_users }
    },
  }),
]
