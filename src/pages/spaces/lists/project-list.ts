/** A list of projects with filters, sorting and pages. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { Off, oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { listOf } from '../project-lists.ts'
import {
  addressWith,
  anyVisibility,
  filterBox,
  filterForm,
  filterSelect,
  moreFilters,
  orderLabels,
  type ProjectSort,
  projectOrder,
  projectSort,
  searchText,
  visibilityFilter,
  visibilityLabels,
} from './filters.ts'
import { noProjectMatches } from './sentences.ts'

const perPage = 20

/** The parameters of a page with such a list. */
export const projectQuery = (sort: ProjectSort = 'latest_activity_desc') => ({
  ...pageNumber,
  search: searchText,
  sort: projectSort(sort),
  visibility: anyVisibility,
  archived: oneOfDefault('', 'false', 'true'),
  topic: Type.String({ default: '', maxLength: 1_000 }),
  owned: Off,
  membership: Off,
  starred: Off,
})

export interface ProjectQuery {
  page: number
  search: string
  sort: ProjectSort
  visibility: Visibility | ''
  archived: '' | 'false' | 'true'
  topic: string
  owned: boolean
  membership: boolean
  starred: boolean
}

interface Shown {
  viewer: User | null
  sent: ProjectQuery
  address: string
  /** The default order, which is not written into URLs. */
  usual?: ProjectSort
  /** Filters that always apply to the list. */
  fixed?: { membership?: true; starred?: true; last_activity_after?: string; topic_id?: number }
  /** Shown if the list is empty without any filter. */
  empty: Html
}

const archivedLabels = () =>
  [
    ['', t`Archived or not`],
    ['false', t`Not archived`],
    ['true', t`Archived`],
  ] as const

/** As many statements as the list of the API. */
export async function projectList(
  app: App,
  { viewer, sent, address, usual = 'latest_activity_desc', fixed = {}, empty }: Shown,
): Promise<Html> {
  const { page, search, sort, visibility, archived, topic, owned, membership, starred } = sent
  const mine = viewer ? { owned, membership, starred } : {}
  const { rows, total } = await pageOfProjects(
    app,
    viewer,
    {
      ...projectOrder(sort),
      search,
      ...visibilityFilter(visibility),
      ...(archived !== '' && { archived: archived === 'true' }),
      ...(topic !== '' && { topic }),
      ...mine,
      ...fixed,
    },
    pageFrom({ page, per_page: perPage }),
  )
  const on = (flag: boolean) => (flag ? 'true' : '')
  const chosen = { search, visibility, archived, topic, owned: on(owned), membership: on(membership), starred: on(starred) }
  const isFiltered = Object.values(chosen).some((value) => value !== '')
  const here = addressWith(address, { ...chosen, sort }, { sort: usual })
  const topicField = html`<input name="topic" value="${topic}" placeholder="Topic" aria-label="Topic" size="12">`
  const forUsers = html`${filterBox(t`Owned by me`, 'owned', owned)}${!fixed.membership && filterBox(t`Member`, 'membership', membership)}${
    !fixed.starred && filterBox(t`Starred`, 'starred', starred)
  }`
  const found = isFiltered && html`<p class="hint">${count(total, 'project')} found. <a href="${address}">Clear filters</a></p>`
  if (total === 0 && !isFiltered) return empty
  const { search: _, ...further } = chosen
  const isOpen = Object.values(further).some((value) => value !== '')
  return html`
    ${filterForm(
      address,
      { label: t`Find by name`, value: search },
      filterSelect(t`Order`, 'sort', orderLabels('projects'), sort),
      moreFilters(
        isOpen,
        filterSelect(t`Visibility`, 'visibility', visibilityLabels(), visibility),
        filterSelect(t`Archived`, 'archived', archivedLabels(), archived),
        fixed.topic_id === undefined && topicField,
        viewer && forUsers,
      ),
    )}
    ${found}${total > 0 ? listOf(rows) : emptyState(noProjectMatches())}
    ${pagesBelow(here, { page, per_page: perPage, total })}
  `
}
