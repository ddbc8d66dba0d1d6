/** The search: in everything, in a group or in a project; what is wanted stands in the address. */
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
import { page } from '../frame/declaration.ts'
import { hidden } from '../frame/forms.ts'
import { pageNumber, pagesBelow } from '../frame/paging.ts'
import { emptyState, isolated, navigation } from '../frame/parts.ts'
import { addressWith, filterForm, searchText } from '../spaces/lists/filters.ts'
import { type Kind, kinds, kindsOf, type Results, resultsOf } from './kinds.ts'
import { sentences } from './sentences.ts'

const perPage = 20

/** Where is searched, with its name and its address. */
interface Where {
  place: SearchPlace
  parameters: Record<string, string>
  title: Html | null
  /** Wider places. */
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
      const usual = shown[0] as Kind
      const kind = scope !== '' && shown.includes(scope) ? scope : usual
      const words = search.trim()
      const ref = where.place.kind === 'project' ? repository_ref : ''
      const at = (parameters: Record<string, string>, wanted: string) =>
        addressWith('/search', { search: words, scope: wanted, ...parameters, repository_ref: ref }, { scope: usual })
      const links = shown.map((name) => ({ label: labels[name], href: at(where.parameters, name), isCurrent: name === kind }))
      const asked = { app, viewer: user, place: where.place, words, ref, page: pageFrom({ page, per_page: perPage }) }
      const results = words === '' ? null : await resultsOf(kind, asked)
      return {
        title: words === '' ? 'Search' : `${words} · Search`,
        main: html`
          <h1>Search${where.title && html` in ${where.title}`}</h1>
          ${filterForm(
            '/search',
            { label: 'Search', value: search },
            html`
              ${hidden({ ...where.parameters, ...(kind !== usual && { scope: kind }), ...(ref !== '' && { repository_ref: ref }) })}
            `,
          )}
          ${
            where.wider.length > 0 &&
            html`
              <p class="hint">
                ${where.wider.map(
                  ({ label, parameters }) =>
                    html`<a href="${addressWith('/search', { search: words, scope: kind, ...parameters })}">${label}</a> `,
                )}
              </p>
            `
          }
          ${navigation('Kinds of results', links)}
          ${results === null ? html`<p class="hint">${kind === 'blobs' ? sentences.codeHint : sentences.hint}</p>` : shownResults(results)}
          ${results && pagesBelow(at(where.parameters, kind), { page, per_page: perPage, total: results.total })}
        `,
      }
    },
  }),
]

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

/** Throws 404 for a project or a group that the reader can't see. */
async function whereOf(app: App, user: User | null, projectId: number | undefined, groupId: number | undefined): Promise<Where> {
  const everywhere = { label: 'Everywhere', parameters: {} }
  if (projectId !== undefined) {
    const { project, level } = await findProject(app.db, String(projectId), user)
    const { id, full_path, namespace_id, namespace_full_path, namespace_kind } = project
    const inGroup = { label: `In ${namespace_full_path}`, parameters: { group_id: String(namespace_id) } }
    return {
      place: { kind: 'project', project, level, repo: app.git.open(id) },
      parameters: { project_id: String(id) },
      title: html`<a href="/${full_path}">${isolated(full_path)}</a>`,
      wider: [...(namespace_kind === 'group' ? [inGroup] : []), everywhere],
    }
  }
  if (groupId === undefined) return { place: { kind: 'all' }, parameters: {}, title: null, wider: [] }
  const { group } = await findGroup(app.db, String(groupId), user)
  return {
    place: { kind: 'group', id: group.id, parent_id: group.parent_id },
    parameters: { group_id: String(group.id) },
    title: html`<a href="/groups/${group.full_path}">${isolated(group.full_path)}</a>`,
    wider: [everywhere],
  }
}

function shownResults({ list, total, one, none, notice = null }: Results): Html {
  const told = notice !== null && html`<p class="hint">${notice}</p>`
  return total === 0 ? html`${told}${emptyState(none)}` : html`${told}<p class="hint">${count(total, one)} found</p>${list}`
}
