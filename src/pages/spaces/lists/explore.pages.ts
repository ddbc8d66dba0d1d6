/** All projects and groups that the visitor can see. */

import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState, navigation } from '../../frame/parts.ts'
import { groupList, groupQuery } from './group-list.ts'
import { projectList, projectQuery } from './project-list.ts'
import { noProjects, noPublicGroups, noTrending, trendingHint } from './sentences.ts'

const places = () =>
  ({
    projects: [t`All projects`, '/explore/projects'],
    trending: [t`Trending`, '/explore/projects/trending'],
    starred: [t`Most stars`, '/explore/projects/starred'],
    topics: [t`Topics`, '/explore/projects/topics'],
    groups: [t`Groups`, '/explore/groups'],
    snippets: [t`Snippets`, '/explore/snippets'],
  }) as const

export function exploreTabs(current: keyof ReturnType<typeof places>): Html {
  const links = Object.entries(places()).map(([name, [label, href]]) => ({ label, href, isCurrent: name === current }))
  return html`<div class="above">${navigation(t`Explore`, links)}</div>`
}

const trendingFor_days = 30

export const explorePages = [
  page('GET /explore', { access: anyone(), show: () => ({ redirect: '/explore/projects' }) }),
  page('GET /public', { access: anyone(), show: () => ({ redirect: '/explore/projects' }) }),
  page('GET /explore/projects', {
    access: anyone(),
    query: projectQuery(),
    async show({ app, user, sent }) {
      const list = await projectList(app, { viewer: user, sent, address: '/explore/projects', empty: emptyState(noProjects()) })
      return { title: t`Explore projects`, above: exploreTabs('projects'), main: html`<h1>Projects</h1>${list}` }
    },
  }),
  page('GET /explore/projects/trending', {
    access: anyone(),
    query: projectQuery('stars_desc'),
    async show({ app, user, sent }) {
      const list = await projectList(app, {
        viewer: user,
        sent,
        address: '/explore/projects/trending',
        usual: 'stars_desc',
        fixed: { last_activity_after: daysAgo(trendingFor_days) },
        empty: emptyState(noTrending()),
      })
      const main = html`<h1>Trending projects</h1><p class="hint">${trendingHint()}</p>${list}`
      return { title: t`Trending projects`, above: exploreTabs('trending'), main }
    },
  }),
  page('GET /explore/projects/starred', {
    access: anyone(),
    query: projectQuery('stars_desc'),
    async show({ app, user, sent }) {
      const address = '/explore/projects/starred'
      const list = await projectList(app, { viewer: user, sent, address, usual: 'stars_desc', empty: emptyState(noProjects()) })
      return { title: t`Projects with most stars`, above: exploreTabs('starred'), main: html`<h1>Projects with most stars</h1>${list}` }
    },
  }),
  page('GET /explore/groups', {
    access: anyone(),
    query: groupQuery,
    async show({ app, user, sent }) {
      const list = await groupList(app, {
        viewer: user,
        sent,
        address: '/explore/groups',
        whose: 'all',
        empty: emptyState(noPublicGroups()),
      })
      return { title: t`Explore groups`, above: exploreTabs('groups'), main: html`<h1>Groups</h1>${list}`, scripts: ['groups.js'] }
    },
  }),
]

/** The beginning of that day: the same for all requests of a day, so that totals stay cached. */
function daysAgo(days: number): string {
  return `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`
}
