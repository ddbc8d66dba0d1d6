/** The search: projects, groups and users; within a group; and the refs of one project. */
import { Type } from 'typebox'
import { canDownload, findGroup, findProject, type LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { listUsers, presentUserBrief } from '../../../features/people/users/users.ts'
import { countsInGroups, listGroups } from '../../../features/spaces/groups/groups.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { pageFrom } from '../../../http/page.ts'
import { anyone } from '../../../http/rules.ts'
import { Id, oneOfDefault } from '../../../http/schema.ts'
import { page } from '../../frame/declaration.ts'
import { hidden } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { avatar, emptyState, isolated, navigation } from '../../frame/parts.ts'
import { count } from '../../frame/phrases.ts'
import { groupRow, listOf } from '../project-lists.ts'
import { addressWith, filterForm, searchText } from './filters.ts'
import { searchRefs } from './search-refs.ts'
import { noGroupMatches, noProjectMatches, noUserMatches, searchHint, searchInProject, signInToSearch } from './sentences.ts'

const perPage = 20
const scopes = ['projects', 'groups', 'users'] as const
type Scope = (typeof scopes)[number]
const labels: Record<Scope, string> = { projects: 'Projects', groups: 'Groups', users: 'Users' }

interface Search {
  app: App
  viewer: User | null
  words: string
  page: number
  /** Where it searches; null for everywhere. */
  group: LocatedGroup | null
}

interface Results {
  list: Html
  total: number
  one: string
  none: string
}

export const searchPages = [
  page('GET /search', {
    access: anyone(),
    query: {
      ...pageNumber,
      search: searchText,
      scope: oneOfDefault<Scope>(...scopes),
      group_id: Type.Optional(Id),
      project_id: Type.Optional(Id),
    },
    async show({ app, user, sent: { search, scope, page, group_id, project_id } }) {
      const words = search.trim()
      if (project_id !== undefined) return searchInOne(app, user, project_id, words)
      const group = group_id === undefined ? null : (await findGroup(app.db, String(group_id), user)).group
      const place: Record<string, string> = group ? { group_id: String(group.id) } : {}
      // Anybody may be asked for in the API by their name, but only users list others.
      const shown = scopes.filter((name) => name !== 'users' || (user !== null && !group))
      const links = shown.map((name) => ({
        label: labels[name],
        href: addressWith('/search', { search: words, scope: name, ...place }, { scope: 'projects' }),
        isCurrent: name === scope,
      }))
      const results = words === '' ? null : await resultsOf(scope, { app, viewer: user, words, page, group })
      const here = addressWith('/search', { search: words, scope, ...place }, { scope: 'projects' })
      return {
        title: words === '' ? 'Search' : `${words} · Search`,
        main: html`<h1>Search${group && html` in <a href="/groups/${group.full_path}">${isolated(group.full_path)}</a>`}</h1>
${filterForm('/search', { label: 'Search', value: search }, html`${hidden({ ...place, ...(scope !== 'projects' && { scope }) })}`)}
${navigation('Kinds of results', links)}${results === null ? html`<p class="hint">${searchHint}</p>` : shownResults(results)}
${results && pagesBelow(here, { page, per_page: perPage, total: results.total })}`,
      }
    },
  }),
]

function shownResults({ list, total, one, none }: Results): Html {
  return total === 0 ? emptyState(none) : html`<p class="hint">${count(total, one)} found</p>${list}`
}

function resultsOf(scope: Scope, search: Search): Promise<Results> {
  if (scope === 'groups') return groupsFound(search)
  return scope === 'users' ? usersFound(search) : projectsFound(search)
}

async function projectsFound({ app, viewer, words, page, group }: Search): Promise<Results> {
  const { rows, total } = await pageOfProjects(
    app,
    viewer,
    { order_by: 'last_activity_at', sort: 'desc', search: words },
    pageFrom({ page, per_page: perPage }),
    group ? { ancestor_id: group.id } : {},
  )
  return { list: listOf(rows), total, one: 'project', none: noProjectMatches }
}

async function groupsFound({ app, viewer, words, page, group }: Search): Promise<Results> {
  const { rows, total } = await listGroups(
    app.db,
    viewer,
    { all_available: true, order_by: 'name', sort: 'asc', search: words, ...(group && { ancestor_id: group.id }) },
    pageFrom({ page, per_page: perPage }),
  )
  const ids = rows.map(({ id }) => id)
  const counts = await countsInGroups(app.db, viewer, ids)
  const list = html`<ul class="rows">${rows.map((row) => groupRow(app, { group: row, counts: counts.get(row.id) }))}</ul>`
  return { list, total, one: 'group', none: noGroupMatches }
}

/** As the API lists users for those who aren't administrators: no bots, no external users, exact matches first. */
async function usersFound({ app, viewer, words, page, group }: Search): Promise<Results> {
  if (!viewer || group) return { list: html``, total: 0, one: 'user', none: viewer ? noUserMatches : signInToSearch }
  const { rows, total } = await listUsers(
    app.db,
    viewer,
    { search: words, humans: true, ...(!viewer.admin && { external: false }), order_by: 'relevance', sort: 'desc' },
    pageFrom({ page, per_page: perPage }),
  )
  const list = html`<ul class="rows">${rows
    .map((row) => presentUserBrief(app.config, row))
    .map(
      ({ username, name, avatar_url }) =>
        html`<li>${avatar(avatar_url)}<div class="what"><a href="/${username}">${isolated(name)}</a> <span class="hint">@${username}</span></div></li>`,
    )}</ul>`
  return { list, total, one: 'user', none: noUserMatches }
}

/** The branches and tags of a project that match. Who may not read the code finds nothing. */
async function searchInOne(app: App, user: User | null, id: number, words: string) {
  const { project, level } = await findProject(app.db, String(id), user)
  const mayRead = canDownload({ project, level }, user)
  const found = words !== '' && mayRead ? await searchRefs(app, project, words) : null
  return {
    title: `Search in ${project.full_path}`,
    main: html`<h1>Search in <a href="/${project.full_path}">${isolated(project.full_path)}</a></h1>
${filterForm('/search', { label: 'Search', value: words }, html`${hidden({ project_id: String(id) })}`)}
${found ?? html`<p class="hint">${searchInProject}</p>`}
${mayRead && project.default_branch !== null && html`<p><a href="/${project.full_path}/find_file/${encodeURIComponent(project.default_branch)}">Find a file</a></p>`}`,
  }
}
