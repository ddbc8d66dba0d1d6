/** The last activity of users. */
import { Type } from 'typebox'
import type { Day } from '../../../db/tables.ts'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { readLooseDay } from '../../../http/parameters/days.ts'
import { listActive } from './users.queries.ts'
import { UserActivity } from './users.schema.ts'

const usual_months = 6

export const userActivities = [
  listEndpoint('GET /user/activities', {
    summary: 'List the last activity of users, oldest first',
    access: administrator(),
    scopes: ['read_user'],
    query: { from: Type.Optional(Type.String({ description: 'A day, as 2001-02-03 or 2001-2-3; six months ago by default' })) },
    item: UserActivity,
    async handle({ app, query, page }) {
      const since = query.from ? readLooseDay('from', query.from) : monthsAgo(usual_months)
      const { rows, total } = await listActive(app.db, since, page)
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
