/** The list of issues of a project, of a group or of one's own dashboard, with its filters, its pages, and the form that changes many. */
import type { LocatedProject } from '../../../access/find.ts'
import { canManageIssue } from '../../../access/issues.ts'
import type { User } from '../../../db/tables.ts'
import {
  countByState,
  type DescribedIssue,
  describeIssues,
  type IssueFilter,
  type IssueScope,
  listIssues,
} from '../../../features/planning/issues/issues.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { pageFrom } from '../../../http/page.ts'
import type { Place } from '../../../http/places.ts'
import { calendarButton, feedButton, feedLink } from '../../feeds/feed-link.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { hidden, problemsOf, select, untouched } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { number } from '../../frame/phrases.ts'
import { dashboardTabs } from '../../spaces/lists/dashboard-tabs.ts'
import { framedIn, placeAddress } from '../places/places.ts'
import { milestoneChoices, milestonesFor, namesField } from './fields.ts'
import { filterForm, filterOf, isNarrowed, type ListQuery, parametersOf } from './list-filters.ts'
import { issuesAddress } from './parts.ts'
import { issueRow } from './row.ts'
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
  const { rows, total } = filter
    ? await listIssues(app.db, user, scope, filter, pageFrom({ page: sent.page, per_page: perPage }))
    : { rows: [], total: 0 }
  const described = await describeIssues(app.db, user, rows)
  const project = place?.kind === 'project' ? place.row : null
  const isSelectable = user !== null && project !== null && canManageIssue({ level: place?.level ?? 0 }) && !project.archived
  const query = parametersOf(sent)
  const here = withQuery(address, query)
  const options = { isSelectable, withProject: project === null }
  const list = html`<ul class="${`rows issues${isSelectable ? ' selectable' : ''}`}">${described.map((one) => issueRow(app, one, options))}</ul>`
  const isUnfiltered = !isNarrowed(sent) && sent.state === 'opened'
  const add = newLink(user, project)
  const none = place === null ? sentences.noneOfYours : sentences.none
  const form =
    project && isSelectable && rows.length > 0
      ? manyForm({ ...context, project }, { list, here, typed, milestones: await milestonesFor(app, { project }) })
      : list
  return framed(context, {
    title: 'Issues',
    scripts: ['planning.js'],
    head: feedLink('Issues', withQuery(`${address}.atom`, query), user),
    main: html`<div class="heading"><h1>Issues</h1><div class="actions end">${feedButton(withQuery(`${address}.atom`, query), user)} ${calendarButton(withQuery(`${address}.ics`, query), user)} ${add}</div></div>
${place === null && ownerships(sent)}${filterForm(address, sent, completions)}
${await statesOf(context, filter, sent)}${isNarrowed(sent) && html`<p class="hint">${number(total)} found. <a href="${address}">Clear filters</a></p>`}
${rows.length === 0 ? emptyState(isUnfiltered ? none : sentences.noneFound, isUnfiltered && add) : form}
${pagesBelow(here, { page: sent.page, per_page: perPage, total })}`,
  })
}

/** Where such a list is, of what, and where the names in its filters come from. */
function listedAt(place: Place | null, user: User | null): { address: string; scope: IssueScope; completions: string | null } {
  if (place === null) return { address: '/dashboard/issues', scope: {}, completions: null }
  const address = placeAddress(place, 'issues')
  return place.kind === 'group'
    ? { address, scope: { group_id: place.row.id }, completions: null }
    : { address, scope: { project_id: place.row.id }, completions: user ? `/${place.row.full_path}/-/completions` : null }
}

/** The issues of the list that fit, for feeds. At most four statements, and those of `describeIssues`. */
export async function issuesOfFeed(
  { app, user, place }: Pick<ListContext, 'app' | 'user' | 'place'>,
  filter: IssueFilter | null,
  limit: number,
): Promise<DescribedIssue[]> {
  if (!filter) return []
  const { rows } = await listIssues(app.db, user, listedAt(place, user).scope, filter, { limit, offset: 0 })
  return describeIssues(app.db, user, rows)
}

function framed({ place, user }: ListContext, view: Omit<View, 'above'>): View {
  return place === null ? { ...view, above: dashboardTabs('issues') } : framedIn('issues')({ place, user }, view)
}

function withQuery(address: string, query: URLSearchParams): string {
  return query.size > 0 ? `${address}?${query}` : address
}

function newLink(user: User | null, project: LocatedProject | null): Html | false {
  return (
    user !== null &&
    project !== null &&
    !project.archived &&
    html`<a class="button primary" href="${issuesAddress(project)}/new" data-key="i">${icon('plus')} New issue</a>`
  )
}

/** Whose issues the dashboard lists. */
function ownerships(sent: ListQuery): Html {
  const link = (scope: ListQuery['scope'], label: string) => ({
    label,
    href: withQuery('/dashboard/issues', parametersOf(sent, { scope })),
    isCurrent: sent.scope === scope,
  })
  return navigation(
    'Whose issues',
    [link('', 'Assigned to you'), link('created_by_me', 'Created by you'), link('all', 'All')],
    'tabs second',
  )
}

/** Open, closed, all: each with how many of those that were found. */
async function statesOf({ app, place, user }: ListContext, filter: IssueFilter | null, sent: ListQuery): Promise<Html> {
  const { address, scope } = listedAt(place, user)
  const { opened, closed } = filter ? await countByState(app.db, user, scope, filter) : { opened: 0, closed: 0 }
  const link = (state: ListQuery['state'], label: string, total: number) => ({
    label: `${label} ${number(total)}`,
    href: withQuery(address, parametersOf(sent, { state })),
    isCurrent: sent.state === state,
  })
  return navigation(
    'State',
    [link('opened', 'Open', opened), link('closed', 'Closed', closed), link('all', 'All', opened + closed)],
    'tabs second',
  )
}

interface Many {
  list: Html
  /** The address of the list as it is. */
  here: string
  milestones: readonly PlacedMilestone[]
  typed: Typed | null
}

/** The list in a form: what is chosen below it happens to those that are selected. */
function manyForm({ project, token }: Visit & { project: LocatedProject }, { list, here, milestones, typed }: Many): Html {
  const shown = typed ?? untouched
  const states = [
    ['', 'No change'],
    ['close', 'Close'],
    ['reopen', 'Reopen'],
  ] as const
  const [noMilestone, ...others] = milestoneChoices(milestones, null)
  const milestoneField = select('Milestone', 'milestone_id', shown, [['', 'No change'], ...(noMilestone ? [noMilestone] : []), ...others], {
    id: 'many-',
  })
  return html`<form method="post" action="${issuesAddress(project)}/bulk_update">${token}${hidden({ back: here })}
<details class="edit-many panel"${typed && html` open`}><summary>Change selected issues <span class="hint selected-count"></span></summary>${typed && problemsOf(typed.errors, ['assignee'])}
<p><input id="many-all" type="checkbox" data-all> <label for="many-all">Select all on this page</label></p>
<div class="filter-fields">${select('State', 'state_event', shown, states, { id: 'many-' })}${namesField('Assignee', 'assignee', shown, '@', project, { hint: sentences.manyAssigneeHint, id: 'many-' })}${milestoneField}${namesField('Add labels', 'add_labels', shown, '~', project, { id: 'many-' })}${namesField('Remove labels', 'remove_labels', shown, '~', project, { id: 'many-' })}</div>
<p class="actions"><button class="primary">Change</button></p></details>
${list}</form>`
}
