/** The last activity of users. */
import { Type } from 'typebox'
import type { Day } from '../../../db/tables.ts'
import { badParameter } from '../../../failure.ts'
import { listEndpoint } from '../../../http/endpoint.ts'
import { administrator } from '../../../http/rules.ts'
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
      const since = query.from ? readDay(query.from) : monthsAgo(usual_months)
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

/** The day of a date or an instant. Clients of release 11.3 may leave out zeros. */
function readDay(text: string): Day {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d?)-(\d\d?)(?:$|[T ])/.exec(text) ?? []
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // A day that no month has would be one of the next.
  if (new Date(`${found}T00:00:00Z`).toJSON()?.startsWith(found)) return found
  throw badParameter('from is invalid')
}

function monthsAgo(months: number): Day {
  const day = new Date()
  day.setUTCMonth(day.getUTCMonth() - months)
  return day.toISOString().slice(0, 10)
}
