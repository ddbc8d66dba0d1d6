/** The tabs of the dashboard. */
import { type Html, html } from '../../html/html.ts'
import { navigation } from './parts.ts'

const places = {
  projects: ['Projects', '/dashboard/projects'],
  starred: ['Starred', '/dashboard/projects/starred'],
  groups: ['Groups', '/dashboard/groups'],
  activity: ['Activity', '/dashboard/activity'],
  issues: ['Issues', '/dashboard/issues'],
  merge_requests: ['Merge requests', '/dashboard/merge_requests'],
  milestones: ['Milestones', '/dashboard/milestones'],
  snippets: ['Snippets', '/snippets'],
  todos: ['To-do items', '/dashboard/todos'],
} as const

export function dashboardTabs(current: keyof typeof places): Html {
  const links = Object.entries(places).map(([name, [label, href]]) => ({ label, href, isCurrent: name === current }))
  return html`<div class="above">${navigation('Dashboard', links)}</div>`
}
