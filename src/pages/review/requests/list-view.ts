/** The list of merge requests of a project, of a group or of one's own dashboard, with its filters, its pages, and the form that changes many. */
import type { LocatedProject } from '../../../access/find.ts'
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import type { User } from '../../../db/tables.ts'
import type { IssueScope } from '../../../features/planning/issues/issues.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import {
  countMergeRequests,
  describeMergeRequests,
  listMergeRequests,
  type MergeRequestFilter,
} from '../../../features/review/merge-requests/merge-requests.ts'
import { pageFrom } from '../../../http/page.ts'
import type { Place } from '../../../http/places.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { hidden, problemsOf, select, untouched } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { number } from '../../frame/phrases.ts'
import { milestoneChoices, milestonesFor, namesField } from '../../planning/issues/fields.ts'
import { framedIn, placeAddress } from '../../planning/places/places.ts'
import { dashboardTabs } from '../../spaces/lists/dashboard-tabs.ts'
import { filterForm, filterOf, isNarrowed, type ListQuery, parametersOf } from './list-filters.ts'
import { requestsAddress } from './parts.ts'
import { requestRow } from './row.ts'
import { sentences } from './sentences.ts'

const perPage = 20

/** `place` is null for the dashboard: everything that the user can see. */
export interface ListContext extends Visit {
  user: User | null
  place: Place | null
}

/** `typed`: the form that changes many, where it was refused. */
export async function listView(context: ListContext, sent: ListQuery, typed: Typed | null = null): Promise<View> {
  const { app, user, place } = context
  const { address, scope, completions } = listedAt(place, user)
  const filter = filterOf(sent, place)
  const { rows, total } = await listMergeRequests(app.db, user, scope, filter, pageFrom({ page: sent.page, per_page: perPage }))
  const described = await describeMergeRequests(app.db, rows)
  const project = place?.kind === 'project' ? place.row : null
  const level = place?.level ?? 0
  const isSelectable = user !== null && project !== null && canManageMergeRequests({ level }) && !project.archived
  const here = withQuery(address, parametersOf(sent))
  const options = { isSelectable, withProject: project === null, usualTarget: project?.default_branch ?? null }
  const list = html`<ul class="${`rows issues${isSelectable ? ' selectable' : ''}`}">${described.map((one) => requestRow(app, one, options))}</ul>`
  const isUnfiltered = !isNarrowed(sent) && sent.state === 'opened'
  const add = newLink(user, project)
  const none = place === null ? sentences.noneOfYours : sentences.none
  const form =
    project && isSelectable && rows.length > 0
      ? manyForm({ ...context, project }, { list, here, typed, milestones: await milestonesFor(app, { project }) })
      : list
  return framed(context, {
    title: 'Merge requests',
    scripts: ['planning.js'],
    main: html`<div class="heading"><h1>Merge requests</h1><div class="actions end">${add}</div></div>
${place === null && ownerships(sent)}${filterForm(address, sent, completions)}
${await statesOf(context, filter, sent)}${isNarrowed(sent) && html`<p class="hint">${number(total)} found. <a href="${address}">Clear filters</a></p>`}
${rows.length === 0 ? emptyState(isUnfiltered ? none : sentences.noneFound, isUnfiltered && add) : form}
${pagesBelow(here, { page: sent.page, per_page: perPage, total })}`,
  })
}

/** Where such a list is, of what, and where the names in its filters come from. */
function listedAt(place: Place | null, user: User | null): { address: string; scope: IssueScope; completions: string | null } {
  if (place === null) return { address: '/dashboard/merge_requests', scope: {}, completions: null }
  const address = placeAddress(place, 'merge_requests')
  return place.kind === 'group'
    ? { address, scope: { group_id: place.row.id }, completions: null }
    : { address, scope: { project_id: place.row.id }, completions: user ? `/${place.row.full_path}/-/completions` : null }
}

function framed({ place, user }: ListContext, view: Omit<View, 'above'>): View {
  return place === null ? { ...view, above: dashboardTabs('merge_requests') } : framedIn('merge_requests')({ place, user }, view)
}

function withQuery(address: string, query: URLSearchParams): string {
  return query.size > 0 ? `${address}?${query}` : address
}

/** Whoever is signed in may look: from where they may propose something is said there. */
function newLink(user: User | null, project: LocatedProject | null): Html | false {
  const isOffered = user !== null && project !== null && !project.archived && project.default_branch !== null
  return (
    isOffered && html`<a class="button primary" href="${requestsAddress(project)}/new" data-key="i">${icon('plus')} New merge request</a>`
  )
}

/** Whose merge requests the dashboard lists. */
function ownerships(sent: ListQuery): Html {
  const link = (scope: ListQuery['scope'], label: string) => ({
    label,
    href: withQuery('/dashboard/merge_requests', parametersOf(sent, { scope })),
    isCurrent: sent.scope === scope,
  })
  return navigation(
    'Whose merge requests',
    [link('', 'Assigned to you'), link('reviews_for_me', 'For you to review'), link('created_by_me', 'Created by you'), link('all', 'All')],
    'tabs second',
  )
}

/** Open, merged, closed, all: each with how many of those that were found. */
async function statesOf({ app, place, user }: ListContext, filter: MergeRequestFilter, sent: ListQuery): Promise<Html> {
  const { address, scope } = listedAt(place, user)
  const { opened, merged, closed } = await countMergeRequests(app.db, user, scope, filter)
  const link = (state: ListQuery['state'], label: string, total: number) => ({
    label: `${label} ${number(total)}`,
    href: withQuery(address, parametersOf(sent, { state })),
    isCurrent: sent.state === state,
  })
  const links = [link('opened', 'Open', opened), link('merged', 'Merged', merged), link('closed', 'Closed', closed)]
  return navigation('State', [...links, link('all', 'All', opened + merged + closed)], 'tabs second')
}

interface Many {
  list: Html
  /** The address of the list as it is. */
  here: string
  milestones: readonly PlacedMilestone[]
  typed: Typed | null
}

const manyStates = [
  ['', 'No change'],
  ['close', 'Close'],
  ['reopen', 'Reopen'],
] as const

/** The list in a form: what is chosen above it happens to those that are selected. */
function manyForm({ project, token }: Visit & { project: LocatedProject }, { list, here, milestones, typed }: Many): Html {
  const shown = typed ?? untouched
  const [noMilestone, ...others] = milestoneChoices(milestones, null)
  const milestoneField = select('Milestone', 'milestone_id', shown, [['', 'No change'], ...(noMilestone ? [noMilestone] : []), ...others], {
    id: 'many-',
  })
  return html`<form method="post" action="${requestsAddress(project)}/bulk_update">${token}${hidden({ back: here })}
<details class="edit-many panel"${typed && html` open`}><summary>Change selected merge requests <span class="hint selected-count"></span></summary>${typed && problemsOf(typed.errors, ['assignee'])}
<p><input id="many-all" type="checkbox" data-all> <label for="many-all">Select all on this page</label></p>
<div class="filter-fields">${select('State', 'state_event', shown, manyStates, { id: 'many-' })}${namesField('Assignee', 'assignee', shown, '@', project, { hint: sentences.manyAssigneeHint, id: 'many-' })}${milestoneField}${namesField('Add labels', 'add_labels', shown, '~', project, { id: 'many-' })}${namesField('Remove labels', 'remove_labels', shown, '~', project, { id: 'many-' })}</div>
<p class="actions"><button class="primary">Change</button></p></details>
${list}</form>`
}
