/** The issues of a project: found by filters that stand in the address, and changed many at once. */
import { canManageIssue } from '../../../access/issues.ts'
import { countByState, describeIssues, type IssueFilter, listIssues } from '../../../features/planning/issues/issues.ts'
import { pageFrom } from '../../../http/page.ts'
import { type ProjectGranted, project, using } from '../../../http/rules.ts'
import { page, type View, type Visit } from '../../frame/declaration.ts'
import { type Html, html } from '../../frame/html.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { number } from '../../frame/phrases.ts'
import { projectView } from '../../project/project-view.ts'
import { filterForm, filterOf, isNarrowed, type ListQuery, listQuery, parametersOf } from './list-filters.ts'
import { issuesAddress } from './parts.ts'
import { issueRow } from './row.ts'
import { sentences } from './sentences.ts'

const perPage = 20

export const issueListPages = [
  page('GET /:project/issues', {
    access: using('issues', project('visible')),
    query: listQuery,
    show: ({ sent, ...context }) => listView(context, sent),
  }),
]

type Context = Visit & ProjectGranted

async function listView(context: Context, sent: ListQuery): Promise<View> {
  const { app, project, level, user } = context
  const address = issuesAddress(project)
  const filter = filterOf(sent)
  const { rows, total } = filter
    ? await listIssues(app.db, user, { project_id: project.id }, filter, pageFrom({ page: sent.page, per_page: perPage }))
    : { rows: [], total: 0 }
  const described = await describeIssues(app.db, rows)
  const isSelectable = user !== null && canManageIssue({ level }) && !project.archived
  const query = parametersOf(sent)
  const here = `${address}${query.size > 0 ? `?${query}` : ''}`
  const list = html`<ul class="${`rows issues${isSelectable ? ' selectable' : ''}`}">${described.map((one) => issueRow(app, one, { isSelectable }))}</ul>`
  const nothing = isNarrowed(sent) || sent.state !== 'opened' ? sentences.noneFound : sentences.none
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: 'Issues',
      scripts: ['planning.js'],
      main: html`<div class="heading"><h1>Issues</h1>${newLink(context)}</div>
${filterForm(address, sent, user ? `/${project.full_path}/-/completions` : null)}
${await statesOf(context, filter, sent)}${isNarrowed(sent) && html`<p class="hint">${number(total)} found. <a href="${address}">Clear filters</a></p>`}
${rows.length === 0 ? emptyState(nothing, sentences.none === nothing && newLink(context)) : list}
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
