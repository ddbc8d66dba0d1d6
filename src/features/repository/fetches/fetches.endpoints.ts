/** How often a project is cloned and fetched, as the public documentation of newer releases describes it. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, using } from '../../../http/declare/rules.ts'
import { Day, resource } from '../../../http/parameters/schema.ts'
import { fetchesOf } from './fetches.service.ts'

export const fetches = [
  endpoint('GET /projects/:id/statistics', {
    summary: 'Get how often a project was cloned and fetched in the last 30 days',
    access: using('repository', project('read_fetches')),
    reply: resource('FetchStatistics', {
      fetches: Type.Object({
        total: Type.Integer(),
        days: Type.Array(Type.Object({ count: Type.Integer(), date: Day }), { description: 'Those with fetches, the newest first' }),
      }),
    }),
    async handle({ app, project }) {
      const { total, days } = await fetchesOf(app, project.id)
      return { fetches: { total, days: days.map(({ day, count }) => ({ count, date: day })) } }
    },
  }),
]
