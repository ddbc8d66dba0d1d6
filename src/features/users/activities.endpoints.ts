/** When users were last seen. */
import { Type } from 'typebox'
import type { Day } from '../../db/tables.ts'
import { listEndpoint } from '../../http/endpoint.ts'
import { administrator } from '../../http/rules.ts'
import { Day as DaySchema } from '../../http/schema.ts'
import { listActive } from './users.queries.ts'
import { UserActivity } from './users.schema.ts'

const usual_months = 6

export const userActivities = [
  listEndpoint('GET /user/activities', {
    summary: 'List when users were last seen, the longest gone first',
    access: administrator(),
    scopes: ['read_user'],
    query: { from: Type.Optional(DaySchema) },
    item: UserActivity,
    async handle({ app, query, page }) {
      const { rows, total } = await listActive(app.db, query.from ?? monthsAgo(usual_months), page)
      const shown = ({ username, last_activity_on }: (typeof rows)[number]) => ({
        username,
        last_activity_on,
        last_activity_at: last_activity_on,
      })
      return { rows: rows.map(shown), total }
    },
  }),
]

function monthsAgo(months: number): Day {
  const day = new Date()
  day.setUTCMonth(day.getUTCMonth() - months)
  return day.toISOString().slice(0, 10)
}
