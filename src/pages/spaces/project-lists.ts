/** Lists of projects as pages show them: one's own, and those to explore. */
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { pageOfProjects } from '../../features/spaces/projects/projects.ts'
import { pageFrom } from '../../http/page.ts'
import type { View } from '../frame/declaration.ts'
import { type Html, html } from '../frame/html.ts'
import { pagesBelow } from '../frame/paging.ts'
import { ago, count, visibilityOf } from '../frame/phrases.ts'

const perPage = 20

type ListedProject = Awaited<ReturnType<typeof pageOfProjects>>['rows'][number]

/** The projects of the user, by last activity. */
export async function dashboard(app: App, user: User, page = 1): Promise<View> {
  const { rows, total } = await pageOfProjects(
    app,
    user,
    { order_by: 'last_activity_at', sort: 'desc', membership: true },
    pageFrom({ page, per_page: perPage }),
  )
  const empty = html`<div class="empty"><p>You have no projects yet.</p>
<p>A push creates one: <code>git push ${app.config.url}/${user.username}/my-project.git main</code></p></div>`
  return {
    title: 'Your projects',
    main: html`<h1>Your projects</h1>${total === 0 ? empty : listOf(rows)}${pagesBelow('/dashboard/projects', { page, per_page: perPage, total })}`,
  }
}

/** The projects that the visitor can see, by last activity; with a search, those that match. */
export async function exploreProjects(
  app: App,
  user: User | null,
  { page = 1, search }: { page?: number; search?: string },
): Promise<View> {
  const { rows, total } = await pageOfProjects(
    app,
    user,
    { order_by: 'last_activity_at', sort: 'desc', search },
    pageFrom({ page, per_page: perPage }),
  )
  const address = search === undefined ? '/explore/projects' : `/explore/projects?search=${encodeURIComponent(search)}`
  const empty = html`<p class="empty">${search === undefined ? 'There are no projects to see yet.' : 'No project matches.'}</p>`
  return {
    title: 'Explore projects',
    main: html`<h1>Projects</h1>
<form class="filters" role="search" action="/explore/projects"><label for="search">Find by name</label>
<input id="search" name="search" type="search" value="${search ?? ''}"><button>Find</button></form>
${total === 0 ? empty : listOf(rows)}${pagesBelow(address, { page, per_page: perPage, total })}`,
  }
}

export function listOf(projects: readonly ListedProject[]): Html {
  return html`<ul class="rows">${projects.map(
    (project) => html`<li><div class="what"><a href="/${project.path_with_namespace}">${project.name_with_namespace}</a>
${project.description && html`<p>${project.description}</p>`}</div>
<div class="facts">${'visibility' in project && visibilityOf(project.visibility as string)}<span>${count(project.star_count, 'star')}</span>${project.last_activity_at !== null && ago(project.last_activity_at)}</div></li>`,
  )}</ul>`
}
