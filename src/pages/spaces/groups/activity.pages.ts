/** The activity in the projects of a group and below it. */

import { groupAddress } from '../../../addresses/places.ts'
import { listEvents } from '../../../features/discussion/activity/activity.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { group } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { eventList, eventQuery, eventsPerPage } from '../../activity/event-list.ts'
import { feedButton, feedLink } from '../../feeds/feed-link.ts'
import { page } from '../../frame/declaration.ts'
import { groupView } from '../../group/group-view.ts'

export const groupActivityPages = [
  page('GET /groups/:group/-/activity', {
    access: group('visible'),
    query: eventQuery,
    async show({ app, sent: { page, event_filter: filter }, ...seen }) {
      const { group, user } = seen
      const found = await listEvents(app, user, { group_id: group.id }, pageFrom({ page, per_page: eventsPerPage }), filter)
      const list = eventList(app, { ...found, page, filter, address: groupAddress(group.full_path, 'activity'), withProjects: true })
      return groupView(
        { ...seen, tab: 'activity' },
        {
          title: t`Activity`,
          main: html`
            <div class="space">
              <h1>Activity</h1>
              <div class="actions">${feedButton(`/${group.full_path}.atom`, user)}</div>
            </div>
            ${list}
          `,
          head: feedLink(t`Activity`, `/${group.full_path}.atom`, user),
        },
      )
    },
  }),
]
