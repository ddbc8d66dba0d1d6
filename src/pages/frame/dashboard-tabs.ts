/** The tabs of the dashboard. */

import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { navigation } from './parts.ts'

const places = () =>
  ({
    projects: [t`Projects`, '/dashboard/projects'],
    starred: [t`Starred`, '/dashboard/projects/starred'],
    groups: [t`Groups`, '/dashboard/groups'],
    activity: [t`Activity`, '/dashboard/activity'],
    issues: [t`Issues`, '/dashboard/issues'],
    merge_requests: [t`Merge requests`, '/dashboard/merge_requests'],
    milestones: [t`Milestones`, '/dashboard/milestones'],
    snippets: [t`Snippets`, '/snippets'],
    todos: [t`To-do items`, '/dashboard/todos'],
  }) as const

export function dashboardTabs(current: keyof ReturnType<typeof places>): Html {
  const links = Object.entries(places()).map(([name, [label, href]]) => ({ label, href, isCurrent: name === current }))
  return html`<div class="above">${navigation(t`Dashboard`, links)}</div>`
}
