/** Calendars of the due dates of issues, with the filters of their lists. */

import { pageUrl } from '../../../addresses/links.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { t } from '../../../html/sentences.ts'
import { calendarReply } from '../../feeds/calendar.ts'
import { listedAt } from '../lists/listing.ts'
import { aboutOf, feedsOf } from '../lists/lists.pages.ts'
import { issueListing, issueQuery } from './listing.ts'

/** Limit of issues in a calendar, earliest due date first. */
const maxDue = 500

export const issueCalendarPages = feedsOf(issueListing, issueQuery, 'ics', async (asked, sent) => {
  const { app, user, place } = asked
  const filter = issueListing.filterOf(sent, place)
  const due = filter && { ...filter, due_date: filter.due_date ?? ('any' as const), order_by: 'due_date' as const, sort: 'asc' as const }
  const { scope } = listedAt('issues', place, user)
  const found = due ? (await issueListing.find(app, user, scope, due, { limit: maxDue, offset: 0 })).rows : []
  const events = found.flatMap(({ issue, project_path }) => {
    const { id, iid, due_date, updated_at, title } = issue
    if (due_date === null) return []
    const url = pageUrl(app.config, issueAddress({ full_path: project_path }, iid))
    const summary = t`${title} (in ${project_path})`
    return { uid: `issue-${id}@${app.config.hostname}`, day: due_date, updated_at, summary, description: url, url }
  })
  return { bytes: calendarReply(aboutOf(issueListing, asked).title, events) }
})
