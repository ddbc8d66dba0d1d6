/** The list of issues of a project, with its filters, its pages, and the form that changes many. */
import { canManageIssue } from '../../../access/issues.ts'
import { countByState, describeIssues, type IssueFilter, listIssues } from '../../../features/planning/issues/issues.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { pageFrom } from '../../../http/page.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { hidden, problemsOf, select, untouched } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { number } from '../../frame/phrases.ts'
import { projectView } from '../../project/project-view.ts'
import { milestoneChoices, milestonesFor, namesField } from './fields.ts'
import { filterForm, filterOf, isNarrowed, type ListQuery, parametersOf } from './list-filters.ts'
import { issuesAddress } from './parts.ts'
import { issueRow } from './row.ts'
import { sentences } from './sentences.ts'

const perPage = 20

type Context = Visit & ProjectGranted

/** `typed`: the form that changes many, where it was refused. */
export async function listView(context: Context, sent: ListQuery, typed: Typed | null = null): Promise<View> {
  const { app, project, level, user } = context
  const address = issuesAddress(project)
  const filter = filterOf(sent)
  const { rows, total } = filter
    ? await listIssues(app.db, user, { project_id: project.id }, filter, pageFrom({ page: sent.page, per_page: perPage }))
    : { rows: [], total: 0 }
  const described = await describeIssues(app.db, user, rows)
  const isSelectable = user !== null && canManageIssue({ level }) && !project.archived
  const query = parametersOf(sent)
  const here = `${address}${query.size > 0 ? `?${query}` : ''}`
  const list = html`<ul class="${`rows issues${isSelectable ? ' selectable' : ''}`}">${described.map((one) => issueRow(app, one, { isSelectable }))}</ul>`
  const isUnfiltered = !isNarrowed(sent) && sent.state === 'opened'
  const milestones = isSelectable ? await milestonesFor(app, { project }) : []
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: 'Issues',
      scripts: ['planning.js'],
      main: html`<div class="heading"><h1>Issues</h1>${newLink(context)}</div>
${filterForm(address, sent, user ? `/${project.full_path}/-/completions` : null)}
${await statesOf(context, filter, sent)}${isNarrowed(sent) && html`<p class="hint">${number(total)} found. <a href="${address}">Clear filters</a></p>`}
${rows.length === 0 ? emptyState(isUnfiltered ? sentences.none : sentences.noneFound, isUnfiltered && newLink(context)) : isSelectable ? manyForm(context, { list, here, milestones, typed }) : list}
${pagesBelow(here, { page: sent.page, per_page: perPage, total })}`,
    },
  )
}

function newLink({ user, project }: Context): Html | false {
  return (
    user !== null &&
    !project.archived &&
    html`<a class="button primary" href="${issuesAddress(project)}/new" data-key="i">${icon('plus')} New issue</a>`
  )
}

/** Open, closed, all: each with how many of those that were found. */
async function statesOf({ app, project, user }: Context, filter: IssueFilter | null, sent: ListQuery): Promise<Html> {
  const { opened, closed } = filter ? await countByState(app.db, user, { project_id: project.id }, filter) : { opened: 0, closed: 0 }
  const link = (state: ListQuery['state'], label: string, total: number) => {
    const query = parametersOf(sent, { state })
    const href = `${issuesAddress(project)}${query.size > 0 ? `?${query}` : ''}`
    return { label: `${label} ${number(total)}`, href, isCurrent: sent.state === state }
  }
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
function manyForm({ project, token }: Context, { list, here, milestones, typed }: Many): Html {
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
