/** Notification settings of the user in a project. */
import { notificationPages } from '../../members/notifications.pages.ts'
import { projectView } from '../../project/project-view.ts'

export const projectNotificationPages = notificationPages('project', ({ place, user }, view) =>
  place.kind === 'project' ? projectView({ project: place.row, level: place.level, user, tab: null }, view) : view,
)
