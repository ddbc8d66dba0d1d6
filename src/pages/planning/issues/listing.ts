/** Lists of issues: their parameters, sorting, rows, and bulk changes. */
import type { Static, TObject } from 'typebox'
import { canManageIssue } from '../../../access/issues.ts'
import { pageUrl, webUrl } from '../../../addresses/links.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { changeIssues } from '../../../features/commands/issues/issues.ts'
import {
  countByState,
  type DescribedIssue,
  describeIssues,
  type IssueFilter,
  type IssueOrder,
  issueFilterOf,
  listIssues,
} from '../../../features/planning/issues/issues.ts'
import { html } from '../../../html/html.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { instantOf, tagUri } from '../../feeds/atom.ts'
import { commonFilterOf, commonQuery, peopleFields, planFields, readerOf } from '../lists/filters.ts'
import type { Listing } from '../lists/listing.ts'
import { atomPages, listPages, manyPages } from '../lists/lists.pages.ts'
import { requestOf } from './fields.ts'
import { issueRow } from './row.ts'
import { sentences } from './sentences.ts'

const sorts = {
  created_desc: ['Newest', { order_by: 'created_at', sort: 'desc' }],
  created_asc: ['Oldest', { order_by: 'created_at', sort: 'asc' }],
  updated_desc: ['Last changed', { order_by: 'updated_at', sort: 'desc' }],
  updated_asc: ['Least recently changed', { order_by: 'updated_at', sort: 'asc' }],
  due_date: ['Due first', { order_by: 'due_date', sort: 'asc' }],
  priority: ['Priority', { order_by: 'priority', sort: 'asc' }],
  label_priority: ['Priority of labels', { order_by: 'label_priority', sort: 'asc' }],
  milestone_due: ['Milestone due first', { order_by: 'milestone_due', sort: 'asc' }],
  popularity: ['Most votes', { order_by: 'popularity', sort: 'desc' }],
  relative_position: ['Order on boards', { order_by: 'relative_position', sort: 'asc' }],
  title_asc: ['Title', { order_by: 'title', sort: 'asc' }],
} as const satisfies Record<string, readonly [string, { order_by: IssueOrder; sort: 'asc' | 'desc' }]>

type Sort = keyof typeof sorts

const otherSorts = (Object.keys(sorts) as Sort[]).filter((name) => name !== 'created_desc')

const confidentialChoices = [
  ['', 'Confidential or not'],
  ['true', 'Confidential'],
  ['false', 'Not confidential'],
] as const

const dueChoices = [
  ['', 'Any due date'],
  ['overdue', 'Overdue'],
  ['today', 'Due today'],
  ['tomorrow', 'Due tomorrow'],
  ['week', 'Due this week'],
  ['month', 'Due this month'],
  ['0', 'No due date'],
] as const

export const issueQuery = {
  ...commonQuery,
  state: oneOfDefault('opened', 'closed', 'all'),
  sort: oneOfDefault<Sort>('created_desc', ...otherSorts),
  confidential: oneOfDefault('', 'true', 'false'),
  due_date: oneOfDefault('', 'overdue', 'today', 'tomorrow', 'week', 'month', '0'),
  /** The scope of the dashboard; by default, issues assigned to the user. */
  scope: oneOfDefault('', 'created_by_me', 'all'),
}

type IssueSent = Static<TObject<typeof issueQuery>>

export const issueListing: Listing<IssueSent, IssueFilter, DescribedIssue> = {
  name: 'issues',
  title: 'Issues',
  noun: 'issue',
  nouns: 'issues',
  sentences,
  ofProject: using('issues', project('visible')),
  states: [
    ['opened', 'Open'],
    ['closed', 'Closed'],
  ],
  scopes: [
    ['', 'Assigned to you'],
    ['created_by_me', 'Created by you'],
    ['all', 'All'],
  ],
  sorts,
  fields: (sent) => [
    ...peopleFields(sent),
    ...planFields(sent),
    { label: 'Due date', name: 'due_date', value: sent.due_date, choices: dueChoices, isRare: true },
    { label: 'Confidential', name: 'confidential', value: sent.confidential, choices: confidentialChoices, isRare: true },
  ],
  read: readerOf(issueQuery),
  filterOf: (sent, place) =>
    issueFilterOf({
      ...sorts[sent.sort][1],
      ...commonFilterOf(sent, place),
      ...(sent.confidential !== '' && { confidential: sent.confidential === 'true' }),
      ...(sent.due_date !== '' && { due_date: sent.due_date }),
    }),
  async find({ db }, user, scope, filter, page) {
    const { rows, total } = await listIssues(db, user, scope, filter, page)
    return { rows: await describeIssues(db, user, rows), total }
  },
  count: ({ db }, user, scope, filter) => countByState(db, user, scope, filter),
  row: (app, described, { isSelectable, project: row }) => issueRow(app, described, { isSelectable, withProject: row === null }),
  entry: ({ config }, { issue, author, project_path }) => ({
    id: tagUri(config, issue.created_at, 'issue', issue.id),
    title: html`${issue.title}`,
    link: pageUrl(config, issueAddress({ full_path: project_path }, issue.iid)),
    updated: instantOf(issue.updated_at),
    author: { name: author.name, uri: webUrl(config, author.username) },
    summary: issue.description ?? undefined,
  }),
  hasCalendar: true,
  mayPlan: (level) => canManageIssue({ level }),
  mayAdd: () => true,
}

export const issueListPages = [
  ...listPages(issueListing, issueQuery),
  ...atomPages(issueListing, issueQuery),
  ...manyPages(issueListing, {
    access: using('issues', unarchived(project('manage_issues'))),
    noneSelected: sentences.noneSelected,
    /** All or none. */
    async change({ app, user, project: row, level }, iids, { assignee, milestone_id, ...plain }) {
      const named = { ...(assignee !== undefined && { assignee }), ...(milestone_id !== undefined && { milestone_id }) }
      const request = { ...(await requestOf(app, { project: row }, null, named)), ...plain }
      const { rows } = await listIssues(app.db, user, { project_id: row.id }, { iids }, { limit: iids.length, offset: 0 })
      await changeIssues(app, { user, project: row, level }, rows, request)
      return sentences.changed(rows.length)
    },
  }),
]
