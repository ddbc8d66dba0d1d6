/** The search in the whole instance, in a group or in a project, with its parameters in the URL. */
import { Type } from 'typebox'
import { findGroup, findProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import type { SearchPlace } from '../../features/search/searches/searches.ts'
import { type Html, html } from '../../html/html.ts'
import { count } from '../../html/phrases.ts'
import { anyone } from '../../http/declare/rules.ts'
import { Id, oneOfDefault } from '../../http/parameters/schema.ts'
import { pageFrom } from '../../http/reply/page.ts'
import { grouped } from '../../text/english.ts'
import { page, type SearchScope } from '../frame/declaration.ts'
import { hidden } from '../frame/forms.ts'
import { pageNumber, pagesBelow } from '../frame/paging.ts'
import { emptyState, isolated, late, navigation } from '../frame/parts.ts'
import { addressWith, filterForm, searchText } from '../spaces/lists/filters.ts'
import { type Asked, type Kind, kinds, kindsOf, type Results, resultsOf } from './kinds.ts'
import { sentences } from './sentences.ts'

const perPage = 20

/** The scope of the search, with its name and URL. */
interface Where {
  place: SearchPlace
  parameters: Record<string, string>
  title: Html | null
  /** For the search field in the header; null for the whole instance. */
  searchIn?: SearchScope
  /** Wider scopes. */
  wider: Array<{ label: string; parameters: Record<string, string> }>
}

export const searchPages = [
  page('GET /search', {
    limit: 'search',
    access: anyone(),
    query: {
      ...pageNumber,
      search: searchText,
      scope: oneOfDefault<Kind | ''>('', ...kinds),
      group_id: Type.Optional(Id),
      project_id: Type.Optional(Id),
      repository_ref: Type.String({ default: '', maxLength: 1_000 }),
    },
    async show({ app, user, sent: { search, scope, page, group_id, project_id, repository_ref } }) {
      const where = await whereOf(app, user, project_id, group_id)
      const shown = kindsOf(where.place, user)
      const words = search.trim()
      const ref = where.place.kind === 'project' ? repository_ref : ''
      const asked = { app, viewer: user, place: where.place, words, ref, page: pageFrom({ page, per_page: perPage }) }
      const chosen = scope !== '' && shown.includes(scope) ? scope : null
      const { kind, results } = await found(asked, chosen === null ? shown : [chosen])
      const at = (parameters: Record<string, string>, wanted: string) =>
        addressWith('/search', { search: words, scope: wanted, ...parameters, repository_ref: ref })
      const links = shown.map((name) => ({
        label: html`${labels[name]} <span id="found-${name}">${name === kind && results && countOf(results.total)}</span>`,
        href: at(where.parameters, name),
        isCurrent: name === kind,
      }))
      const main = html`
        <h1>Search${where.title && html` in ${where.title}`}</h1>
        ${filterForm(
          '/search',
          { label: 'Search', value: search },
          html`
            ${hidden({ ...where.parameters, ...(chosen !== null && { scope: chosen }), ...(ref !== '' && { repository_ref: ref }) })}
          `,
        )}
        ${where.wider.length > 0 && widerPlaces(where, { search: words, scope: chosen ?? '' })}
        ${navigation('Kinds of results', links)}
        ${results === null ? html`<p class="hint">${kind === 'blobs' ? sentences.codeHint : sentences.hint}</p>` : shownResults(results)}
        ${results && pagesBelow(at(where.parameters, kind), { page, per_page: perPage, total: results.total })}
      `
      const others = results === null ? [] : shown.filter((name) => name !== kind)
      return {
        title: words === '' ? 'Search' : `${words} · Search`,
        main: inParts(main, () => countsOf(asked, others)),
        ...(where.searchIn && { searchIn: where.searchIn }),
      }
    },
  }),
]

function widerPlaces({ wider }: Where, wanted: { search: string; scope: string }): Html {
  const links = wider.map(({ label, parameters }) => html`<a href="${addressWith('/search', { ...wanted, ...parameters })}">${label}</a> `)
  return html`<p class="hint">${links}</p>`
}

/** The first kind with a result; the first of all if none has any, or nothing is searched yet. */
async function found(asked: Asked, among: readonly Kind[]): Promise<{ kind: Kind; results: Results | null }> {
  const [usual] = among as [Kind]
  if (asked.words === '') return { kind: usual, results: null }
  const first = await resultsOf(usual, asked)
  if (first.total > 0) return { kind: usual, results: first }
  for (const kind of among.slice(1)) {
    const results = await resultsOf(kind, asked)
    if (results.total > 0) return { kind, results }
  }
  return { kind: usual, results: first }
}

async function* inParts(main: Html, counts: () => Promise<Html>): AsyncGenerator<Html> {
  yield main
  yield await counts()
}

/** The number of results of the other kinds, which is sent once it is known. */
async function countsOf(asked: Asked, kinds: readonly Kind[]): Promise<Html> {
  const page = pageFrom({ page: 1, per_page: 1 })
  const totals = await Promise.all(
    kinds.map(async (kind) => {
      // Without a number, the tab still leads to the list, which shows the error.
      const total = await resultsOf(kind, { ...asked, page }).then(
        ({ total }) => total,
        () => 0,
      )
      return { kind, total }
    }),
  )
  return html`${totals.map(({ kind, total }) => late(`found-${kind}`, countOf(total)))}`
}

function countOf(total: number): Html {
  return total === 0 ? html`` : html`<span class="count">${grouped(total)}</span>`
}

const labels: Record<Kind, string> = {
  projects: 'Projects',
  groups: 'Groups',
  users: 'Users',
  issues: 'Issues',
  merge_requests: 'Merge requests',
  milestones: 'Milestones',
  notes: 'Comments',
  blobs: 'Code',
  commits: 'Commits',
  refs: 'Branches and tags',
  wiki_blobs: 'Wiki',
  snippet_titles: 'Snippets',
  snippet_blobs: 'Snippet contents',
}

/** Throws 404 for a project or group that the viewer can't see. */
async function whereOf(app: App, user: User | null, projectId: number | undefined, groupId: number | undefined): Promise<Where> {
  const everywhere = { label: 'Everywhere', parameters: {} }
  if (projectId !== undefined) {
    const { project, level } = await findProject(app.db, String(projectId), user)
    const { id, name, full_path, namespace_id, namespace_full_path, namespace_kind } = project
    const inGroup = { label: `In ${namespace_full_path}`, parameters: { group_id: String(namespace_id) } }
    return {
      place: { kind: 'project', project, level, repo: app.git.open(id) },
      parameters: { project_id: String(id) },
      searchIn: { parameter: 'project_id', id, name },
      title: html`<a href="/${full_path}">${isolated(full_path)}</a>`,
      wider: [...(namespace_kind === 'group' ? [inGroup] : []), everywhere],
    }
  }
  if (groupId === undefined) return { place: { kind: 'all' }, parameters: {}, title: null, wider: [] }
  const { group } = await findGroup(app.db, String(groupId), user)
  return {
    place: { kind: 'group', id: group.id, parent_id: group.parent_id },
    parameters: { group_id: String(group.id) },
    searchIn: { parameter: 'group_id', id: group.id, name: group.name },
    title: html`<a href="/groups/${group.full_path}">${isolated(group.full_path)}</a>`,
    wider: [everywhere],
  }
}

function shownResults({ list, total, one, none, notice = null }: Results): Html {
  const told = notice !== null && html`<p class="hint">${notice}</p>`
  return total === 0 ? html`${told}${emptyState(none)}` : html`${told}<p class="hint">${count(total, one)} found</p>${list}`
}
