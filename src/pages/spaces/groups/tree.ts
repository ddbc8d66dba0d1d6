/** The content of a group, one level of it: its subgroups, then its projects, as one list with pages. */

import { Type } from 'typebox'
import type { LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { countsInGroups, listGroups } from '../../../features/spaces/groups/groups.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import {
  addressWith,
  filterForm,
  filterSelect,
  groupOrderBeside,
  orderLabels,
  type ProjectSort,
  projectOrder,
  projectSort,
} from '../lists/filters.ts'
import { groupRow, projectRow } from '../project-lists.ts'
import { nothingHere, nothingMatches } from './sentences.ts'

const perPage = 20
const usualSort = 'name_asc'

/** The parameters of a page with a tree. */
export const treeQuery = { ...pageNumber, filter: Type.String({ default: '', maxLength: 1_000 }), sort: projectSort(usualSort) }

export interface TreeQuery {
  page: number
  filter: string
  sort: ProjectSort
}

interface Tree {
  /** The group whose content it is. */
  group: LocatedGroup
  viewer: User | null
  sent: TreeQuery
  /** URL of the page, whose query only contains `fixed`. */
  address: string
  fixed?: Record<string, string>
  /** Shown instead of the default message if the group is empty. */
  empty?: Html
}

/** With a filter, all matches below the group at any depth. A fixed number of statements. */
export async function treeOf(app: App, { group, viewer, sent, address, fixed = {}, empty }: Tree): Promise<Html> {
  const { filter, sort, page } = sent
  const { limit, offset } = pageFrom({ page, per_page: perPage })
  const isSearch = filter.trim() !== ''
  const groups = await listGroups(
    app.db,
    viewer,
    {
      all_available: true,
      ...(isSearch ? { ancestor_id: group.id, search: filter.trim() } : { parent_id: group.id }),
      ...groupOrderBeside(sort),
    },
    { limit, offset },
  )
  const [counts, projects] = await Promise.all([
    countsInGroups(
      app.db,
      viewer,
      groups.rows.map(({ id }) => id),
    ),
    pageOfProjects(
      app,
      viewer,
      // An archived group contains only archived projects, so they aren't hidden.
      { ...projectOrder(sort), archived: group.archived ? undefined : false, ...(isSearch && { search: filter }) },
      { limit: limit - groups.rows.length, offset: Math.max(0, offset - groups.total) },
      isSearch ? { ancestor_id: group.id } : { group_id: group.id },
    ),
  ])
  const total = groups.total + projects.total
  if (total === 0 && !isSearch) return empty ?? emptyState(nothingHere())
  const rows = html`<ul class="rows tree">${groups.rows.map((row) =>
    groupRow(app, {
      group: row,
      counts: counts.get(row.id),
      isShort: !isSearch,
      opens: true,
    }),
  )}${projects.rows.map((project) => projectRow(project, isSearch))}</ul>`
  const here = addressWith(address, { ...fixed, filter, sort }, { sort: usualSort })
  return html`
    ${filterForm(
      address,
      { label: t`Find by name`, name: 'filter', value: filter },
      ...Object.entries(fixed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
      filterSelect(t`Order`, 'sort', orderLabels('projects'), sort),
    )}
    ${total > 0 ? rows : emptyState(nothingMatches())}${pagesBelow(here, { page, per_page: perPage, total })}
  `
}
