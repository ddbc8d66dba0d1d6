/** The activity of a project: who pushed, commented, joined and left. */

import { listEvents } from '../../../features/discussion/activity/activity.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { eventList, eventQuery, eventsPerPage } from '../../activity/event-list.ts'
import { page } from '../../frame/declaration.ts'
import { projectView } from '../../project/project-view.ts'

export const activityPages = [
  page('GET /:project/activity', {
    access: project('visible'),
    query: eventQuery,
    async show({ app, user, project, level, sent: { page, event_filter: filter } }) {
      const { full_path, id } = project
      const found = await listEvents(app, user, { project_id: id }, pageFrom({ page, per_page: eventsPerPage }), filter)
      const list = eventList(app, { ...found, page, filter, address: `/${full_path}/activity`, withProjects: false })
      return projectView({ project, level, user, tab: 'activity' }, { title: t`Activity`, main: html`<h1>Activity</h1>${list}` })
    },
  }),
]
