/** Groups: one of them with what is in it, and all that can be seen. */
import type { LocatedGroup } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { listGroups } from '../../features/spaces/groups/groups.ts'
import { pageOfProjects } from '../../features/spaces/projects/projects.ts'
import { pageFrom } from '../../http/page.ts'
import { anyone, group } from '../../http/rules.ts'
import { page, type View } from '../frame/declaration.ts'
import { type Html, html } from '../frame/html.ts'
import { pageNumber, pagesBelow } from '../frame/paging.ts'
import { visibilityOf } from '../frame/phrases.ts'
import { listOf } from './project-lists.ts'

const perPage = 20
/** Those shown above the projects of a group. */
const maxSubgroups = 100

export const groupPages = [
  page('GET /explore/groups', {
    access: anyone(),
    query: pageNumber,
    async show({ app, user, sent }) {
      const { rows, total } = await listGroups(
        app.db,
        user,
        { all_available: true, order_by: 'name', sort: 'asc' },
        pageFrom({ page: sent.page, per_page: perPage }),
      )
      return {
        title: 'Explore groups',
        main: html`<h1>Groups</h1>${total === 0 ? html`<p class="empty">There are no groups to see yet.</p>` : rowsOf(rows)}
${pagesBelow('/explore/groups', { page: sent.page, per_page: perPage, total })}`,
      }
    },
  }),
  page('GET /groups/:group', {
    access: group('visible'),
    query: pageNumber,
    show: ({ app, group, user, sent }) => groupView(app, group, user, sent.page),
  }),
  page('GET /:group', {
    access: group('visible'),
    query: pageNumber,
    show: ({ app, group, user, sent }) => groupView(app, group, user, sent.page),
  }),
]

async function groupView(app: App, group: LocatedGroup, user: User | null, number: number): Promise<View> {
  const [below, { rows, total }] = await Promise.all([
    listGroups(
      app.db,
      user,
      { all_available: true, parent_id: group.id, order_by: 'name', sort: 'asc' },
      { limit: maxSubgroups, offset: 0 },
    ),
    pageOfProjects(app, user, { order_by: 'last_activity_at', sort: 'desc' }, pageFrom({ page: number, per_page: perPage }), {
      group_id: group.id,
    }),
  ])
  const above = group.full_path.split('/').slice(0, -1)
  const links = above.map((part, index) => html`<a href="/groups/${above.slice(0, index + 1).join('/')}">${part}</a> / `)
  return {
    title: group.full_path,
    above: html`${above.length > 0 && html`<div class="above"><p class="where">${links}<b>${group.name}</b></p></div>`}`,
    main: html`<h1>${group.name} ${visibilityOf(group.visibility)}</h1>${group.description && html`<p>${group.description}</p>`}
${below.total > 0 && html`<h2>Subgroups</h2>${rowsOf(below.rows)}`}
${total > 0 && html`<h2>Projects</h2>${listOf(rows)}`}
${total + below.total === 0 && html`<p class="empty">There is nothing in this group that you can see.</p>`}
${pagesBelow(`/groups/${group.full_path}`, { page: number, per_page: perPage, total })}`,
  }
}

function rowsOf(groups: readonly LocatedGroup[]): Html {
  return html`<ul class="rows">${groups.map(
    ({ full_path, description, visibility }) => html`<li><div class="what"><a href="/groups/${full_path}">${full_path}</a>
${description && html`<p>${description}</p>`}</div><div class="facts">${visibilityOf(visibility)}</div></li>`,
  )}</ul>`
}
