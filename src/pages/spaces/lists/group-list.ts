/** A list of groups with filters, sorting and pages. */

import type { App } from '../../../app.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { countsInGroups, listGroups } from '../../../features/spaces/groups/groups.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { groupRow } from '../project-lists.ts'
import {
  addressWith,
  anyVisibility,
  filterForm,
  filterSelect,
  type GroupSort,
  groupOrder,
  groupSort,
  orderLabels,
  searchText,
  visibilityFilter,
  visibilityLabels,
} from './filters.ts'
import { noGroupMatches } from './sentences.ts'

const perPage = 20

/** The parameters of a page with such a list. */
export const groupQuery = { ...pageNumber, search: searchText, sort: groupSort, visibility: anyVisibility }

export interface GroupQuery {
  page: number
  search: string
  sort: GroupSort
  visibility: Visibility | ''
}

interface Shown {
  viewer: User | null
  sent: GroupQuery
  address: string
  /** All groups that the viewer can see, or those they are a member of. */
  whose: 'all' | 'own'
  empty: Html
}

/** Top-level groups, which open in place; with a search, all that match. */
export async function groupList(app: App, { viewer, sent, address, whose, empty }: Shown): Promise<Html> {
  const { page, search, sort, visibility } = sent
  const isFiltered = search !== '' || visibility !== ''
  const { rows, total } = await listGroups(
    app.db,
    viewer,
    {
      all_available: whose === 'all',
      ...groupOrder(sort),
      ...visibilityFilter(visibility),
      ...(search === '' ? { top_level_only: true } : { search }),
    },
    pageFrom({ page, per_page: perPage }),
  )
  if (total === 0 && !isFiltered) return empty
  const counts = await countsInGroups(
    app.db,
    viewer,
    rows.map(({ id }) => id),
  )
  const list = html`<ul class="rows tree">${rows.map((group) =>
    groupRow(app, {
      group,
      counts: counts.get(group.id),
      isShort: search === '' && group.parent_id === null,
      opens: true,
    }),
  )}</ul>`
  const here = addressWith(address, { search, sort, visibility }, { sort: 'name_asc' })
  return html`
    ${filterForm(
      address,
      { label: t`Find by name`, value: search },
      filterSelect(t`Order`, 'sort', orderLabels('groups'), sort),
      filterSelect(t`Visibility`, 'visibility', visibilityLabels(), visibility),
    )}
    ${total > 0 ? list : emptyState(noGroupMatches())}${pagesBelow(here, { page, per_page: perPage, total })}
  `
}
