/** The search in the whole instance, in a group or in a project, with its parameters in the URL. */

import { Type } from 'typebox'
import { findGroup, findProject } from '../../access/find.ts'
import { withMemberships } from '../../access/memberships.ts'
import type { App } from '../../app.ts'
import { atOneMoment } from '../../db/snapshot-id.ts'
import type { User } from '../../db/tables.ts'
import type { SearchPlace } from '../../features/search/searches/searches.ts'
import { type Html, html } from '../../html/html.ts'
import { grouped } from '../../html/numbers-and-dates.ts'
import { t, translated } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { Id, oneOfDefault } from '../../http/parameters/schema.ts'
import { pageFrom } from '../../http/reply/page.ts'
import { page, type SearchScope } from '../frame/declaration.ts'
import { hidden } from '../frame/forms.ts'
import { pageNumber, pagesBelow } from '../frame/paging.ts'
import { emptyState, isolated, late, navigation } from '../frame/parts.ts'
import { addressWith, filterBox, filterForm, searchText } from '../spaces/lists/filters.ts'
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
      regex: Type.Boolean({ default: false }),
    },
    async show({ app, user, sent: { search, scope, page, group_id, project_id, repository_ref, ...sent } }) {
      const where = await whereOf(app, user, project_id, group_id)
      const shown = kindsOf(where.place, user)
      const words = search.trim()
      const ref = where.place.kind === 'project' ? repository_ref : ''
      // Only files are searched so.
      const regex = sent.regex && (scope === '' || scope === 'blobs')
      // Once for all kinds. Within a place few projects are looked at, which costs less than to know all memberships.
      const viewer = where.place.kind === 'all' ? await withMemberships(app.db, user) : user
      const asked = { app, viewer, place: where.place, words, ref, regex, page: pageFrom({ page, per_page: perPage }) }
      const chosen = regex ? 'blobs' : scope !== '' && shown.includes(scope) ? scope : null
      const { kind, results, without } = await found(asked, chosen === null ? shown : [chosen])
      const at = (parameters: Record<string, string>, wanted: string) =>
        addressWith('/search', {
          search: words,
          scope: wanted,
          ...parameters,
          repository_ref: ref,
          regex: regex && wanted === 'blobs' ? 'true' : '',
        })
      const links = shown.map((name) => ({
        label: html`${labels[name]} <span id="found-${name}">${name === kind && results && countOf(results.total)}</span>`,
        href: at(where.parameters, name),
        isCurrent: name === kind,
      }))
      const main = html`
        <h1>Search${where.title && html` in ${where.title}`}</h1>
        ${searchForm(where, { search, kind, chosen, ref, regex })}
        ${where.wider.length > 0 && widerPlaces(where, { search: words, scope: chosen ?? '', regex: regex ? 'true' : '' })}
        ${navigation(t`Kinds of results`, links)}
        ${results === null ? html`<p class="hint">${hintOf(kind, regex)}</p>` : shownResults(results)}
        ${results && pagesBelow(at(where.parameters, kind), { page, per_page: perPage, total: results.total })}
      `
      const others = results === null || regex ? [] : shown.filter((name) => name !== kind && !without.includes(name))
      return {
        title: words === '' ? t`Search` : t`${words} · Search`,
        main: inParts(main, () => countsOf(asked, others)),
        ...(where.searchIn && { searchIn: where.searchIn }),
      }
    },
  }),
]

/** The current search, which the form repeats. */
interface Sent {
  search: string
  kind: Kind
  /** Null where the first kind that has it is shown. */
  chosen: Kind | null
  ref: string
  regex: boolean
}

function searchForm({ parameters }: Where, { search, kind, chosen, ref, regex }: Sent): Html {
  return filterForm(
    '/search',
    { label: t`Search`, value: search },
    html`${hidden({ ...parameters, ...(chosen !== null && { scope: chosen }), ...(ref !== '' && { repository_ref: ref }) })}`,
    kind === 'blobs' && filterBox(t`Regular expression`, 'regex', regex),
  )
}

function hintOf(kind: Kind, regex: boolean): string {
  if (regex) return sentences.regexHint
  return kind === 'blobs' ? sentences.codeHint : sentences.hint
}

function widerPlaces({ wider }: Where, wanted: { search: string; scope: string; regex: string }): Html {
  const links = wider.map(({ label, parameters }) => html`<a href="${addressWith('/search', { ...wanted, ...parameters })}">${label}</a> `)
  return html`<p class="hint">${links}</p>`
}

interface FoundKind {
  kind: Kind
  /** Null where nothing is wanted yet. */
  results: Results | null
  /** The kinds that were looked at and have nothing. */
  without: Kind[]
}

/** The first of the kinds that has what is wanted; the first of all where none has. */
async function found(asked: Asked, among: readonly Kind[]): Promise<FoundKind> {
  const [usual] = among as [Kind]
  if (asked.words === '') return { kind: usual, results: null, without: [] }
  const first = await resultsOf(usual, asked)
  if (first.total > 0) return { kind: usual, results: first, without: [] }
  const without = [usual]
  for (const kind of among.slice(1)) {
    const results = await resultsOf(kind, asked)
    if (results.total > 0) return { kind, results, without }
    without.push(kind)
  }
  return { kind: usual, results: first, without }
}

async function* inParts(main: Html, counts: () => Promise<Html>): AsyncGenerator<Html> {
  yield main
  yield await counts()
}

/** How much there is of the other kinds, beside their names: they come when they are counted. About a statement for each kind. */
async function countsOf(asked: Asked, kinds: readonly Kind[]): Promise<Html> {
  const page = { ...pageFrom({ page: 1, per_page: 1 }), limit: 0 }
  const totals = await atOneMoment(asked.app.db, () =>
    Promise.all(
      kinds.map(async (kind) => {
        // Without a number the name still leads there, and says what is wrong.
        const total = await resultsOf(kind, { ...asked, page }).then(
          ({ total }) => total,
          () => 0,
        )
        return { kind, total }
      }),
    ),
  )
  return html`${totals.map(({ kind, total }) => late(`found-${kind}`, countOf(total)))}`
}

function countOf(total: number): Html {
  return total === 0 ? html`` : html`<span class="count">${grouped(total)}</span>`
}

const labels: Record<Kind, string> = translated({
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
})

/** Throws 404 for a project or group that the viewer can't see. */
async function whereOf(app: App, user: User | null, projectId: number | undefined, groupId: number | undefined): Promise<Where> {
  const everywhere = { label: t`Everywhere`, parameters: {} }
  if (projectId !== undefined) {
    const { project, level } = await findProject(app.db, String(projectId), user)
    const { id, name, full_path, namespace_id, namespace_full_path, namespace_kind } = project
    const inGroup = { label: t`In ${namespace_full_path}`, parameters: { group_id: String(namespace_id) } }
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

function shownResults({ list, total, counted, none, notice = null }: Results): Html {
  const told = notice !== null && html`<p class="hint">${notice}</p>`
  return total === 0 ? html`${told}${emptyState(none)}` : html`${told}<p class="hint">${counted(total)} found</p>${list}`
}
