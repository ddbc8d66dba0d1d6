/** The user's own projects, starred projects, groups, and the activity in them. */

import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { type EventFilter, listEvents } from '../../../features/discussion/activity/activity.ts'
import { type Html, html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { eventList, eventQuery, eventRows, eventsPerPage } from '../../activity/event-list.ts'
import { feedButton, feedLink } from '../../feeds/feed-link.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import { page, type View } from '../../frame/declaration.ts'
import { copyableBlock, emptyState, navigation } from '../../frame/parts.ts'
import { addressWith } from './filters.ts'
import { groupList, groupQuery } from './group-list.ts'
import { type ProjectQuery, projectList, projectQuery } from './project-list.ts'
import { firstSteps, noGroups, nothingStarred, pushCreates } from './sentences.ts'

export const dashboardPages = [
  page('GET /dashboard', { access: signedIn(), show: () => ({ redirect: '/dashboard/projects' }) }),
  page('GET /dashboard/projects', {
    access: signedIn(),
    query: projectQuery(),
    show: ({ app, user, sent }) => ownProjects(app, user, sent),
  }),
  page('GET /dashboard/projects/starred', {
    access: signedIn(),
    query: projectQuery(),
    show: ({ app, user, sent }) => starredProjects(app, user, sent),
  }),
  page('GET /dashboard/activity', {
    access: signedIn(),
    query: { ...eventQuery, filter: oneOfDefault<Activity>('', 'starred', 'own') },
    show: ({ app, user, sent }) => activityOf(app, user, sent),
  }),
  page('GET /dashboard/groups', {
    access: signedIn(),
    query: groupQuery,
    async show({ app, user, sent }) {
      const empty = emptyState(noGroups(), user.can_create_group && newGroup())
      const list = await groupList(app, { viewer: user, sent, address: '/dashboard/groups', whose: 'own', empty })
      return {
        title: t`Your groups`,
        above: dashboardTabs('groups'),
        main: html`<div class="space"><h1>Your groups</h1><div class="actions">${user.can_create_group && newGroup()}</div></div>${list}`,
        scripts: ['groups.js'],
      }
    },
  }),
]

const feedPath = '/dashboard/projects.atom'

/** The scopes of the page of activity. */
const activities = translated({
  '': ['Your projects', ({ id }: User) => ({ member_id: id })],
  starred: ['Starred projects', ({ id }: User) => ({ starred_by: id })],
  own: ['By you', ({ id }: User) => ({ author_id: id })],
} as const)

type Activity = keyof typeof activities

async function activityOf(
  app: App,
  user: User,
  { page, event_filter, filter }: { page: number; event_filter: EventFilter; filter: Activity },
) {
  const address = '/dashboard/activity'
  const [, scopeOf] = activities[filter]
  const found = await listEvents(app, user, scopeOf(user), pageFrom({ page, per_page: eventsPerPage }), event_filter)
  const links = Object.entries(activities).map(([name, [label]]) => ({
    label,
    href: addressWith(address, { filter: name }),
    isCurrent: name === filter,
  }))
  const list = eventList(app, { ...found, page, filter: event_filter, address: addressWith(address, { filter }), withProjects: true })
  return {
    title: t`Your activity`,
    above: dashboardTabs('activity'),
    main: html`
      <div class="space">
        <h1>Activity</h1>
        <div class="actions">${feedButton(feedPath, user)}</div>
      </div>
      ${navigation(t`Whose activity`, links, 'tabs second')}${list}
    `,
    head: feedLink(t`Activity`, feedPath, user),
  }
}

const newGroup = () => html`<a class="button primary" href="/groups/new">New group</a>`
const newProject = () => html`<a class="button primary" href="/projects/new">New project</a>`

/** The list without any filter. */
const wholeList: ProjectQuery = {
  page: 1,
  search: '',
  sort: 'latest_activity_desc',
  visibility: '',
  archived: '',
  topic: '',
  owned: false,
  membership: false,
  starred: false,
}

/** The projects of the user, by last activity. */
async function ownProjects(app: App, user: User, sent: ProjectQuery): Promise<View & { main: Html }> {
  const address = '/dashboard/projects'
  const list = await projectList(app, { viewer: user, sent, address, fixed: { membership: true }, empty: stepsFor(app, user) })
  return {
    title: t`Your projects`,
    above: dashboardTabs('projects'),
    main: html`<div class="space"><h1>Your projects</h1><div class="actions">${newProject()}</div></div>${list}`,
    head: feedLink(t`Activity`, feedPath, user),
  }
}

async function starredProjects(app: App, user: User, sent: ProjectQuery): Promise<View> {
  const empty = emptyState(nothingStarred(), html`<a class="button" href="/explore/projects">Explore projects</a>`)
  const list = await projectList(app, { viewer: user, sent, address: '/dashboard/projects/starred', fixed: { starred: true }, empty })
  return { title: t`Starred projects`, above: dashboardTabs('starred'), main: html`<h1>Starred projects</h1>${list}` }
}

/** Number of events on the start page. */
const recentEvents = 8

/** The start page: the user's projects, and their latest activity. */
export async function homeOf(app: App, user: User): Promise<View> {
  const [own, { rows }] = await Promise.all([
    ownProjects(app, user, wholeList),
    listEvents(app, user, { member_id: user.id }, { limit: recentEvents, offset: 0 }),
  ])
  const recent = html`
    <section class="recent" aria-labelledby="recent">
      <h2 id="recent">Activity</h2>
      ${eventRows(app, rows, true)}
      <p><a href="/dashboard/activity">All activity</a></p>
    </section>
  `
  return { ...own, main: html`<div class="with-side"><div>${own.main}</div>${rows.length > 0 && recent}</div>` }
}

/** First steps for new users. */
function stepsFor({ config }: App, { username }: User): Html {
  return html`
    <div class="empty steps">
      <p>${firstSteps()}</p>
      <ol>
        <li><a href="/profile/keys">Add an SSH key</a></li>
        <li><a href="/projects/new">Create a project</a></li>
        <li>Push: the page of the new project shows the commands.</li>
      </ol>
      <p>${pushCreates()}</p>
      ${copyableBlock(`git push ${config.url}/${username}/my-project.git main`)}
    </div>
  `
}
