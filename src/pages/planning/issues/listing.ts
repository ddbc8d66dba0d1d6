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
import { t } from '../../../html/sentences.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { instantOf, tagUri } from '../../feeds/atom.ts'
import { commonFilterOf, commonQuery, peopleFields, planFields, readerOf } from '../lists/filters.ts'
import type { Listing } from '../lists/listing.ts'
import { atomPages, listPages, manyPages } from '../lists/lists.pages.ts'
import { requestOf } from './fields.ts'
import { issueRow } from './row.ts'
import { sentences } from './sentences.ts'

const sorts = () =>
  ({
    created_desc: [t`Newest`, { order_by: 'created_at', sort: 'desc' }],
    created_asc: [t`Oldest`, { order_by: 'created_at', sort: 'asc' }],
    updated_desc: [t`Last changed`, { order_by: 'updated_at', sort: 'desc' }],
    updated_asc: [t`Least recently changed`, { order_by: 'updated_at', sort: 'asc' }],
    due_date: [t`Due first`, { order_by: 'due_date', sort: 'asc' }],
    priority: [t`Priority`, { order_by: 'priority', sort: 'asc' }],
    label_priority: [t`Priority of labels`, { order_by: 'label_priority', sort: 'asc' }],
    milestone_due: [t`Milestone due first`, { order_by: 'milestone_due', sort: 'asc' }],
    popularity: [t`Most votes`, { order_by: 'popularity', sort: 'desc' }],
    relative_position: [t`Order on boards`, { order_by: 'relative_position', sort: 'asc' }],
    title_asc: [t`Title`, { order_by: 'title', sort: 'asc' }],
  }) as const satisfies Record<string, readonly [string, { order_by: IssueOrder; sort: 'asc' | 'desc' }]>

type Sort = keyof ReturnType<typeof sorts>

const otherSorts = (Object.keys(sorts()) as Sort[]).filter((name) => name !== 'created_desc')

const confidentialChoices = () =>
  [
    ['', t`Confidential or not`],
    ['true', t`Confidential`],
    ['false', t`Not confidential`],
  ] as const

const dueChoices = () =>
  [
    ['', t`Any due date`],
    ['overdue', t`Overdue`],
    ['today', t`Due today`],
    ['tomorrow', t`Due tomorrow`],
    ['week', t`Due this week`],
    ['month', t`Due this month`],
    ['0', t`No due date`],
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
  words: () => ({
    title: t`Issues`,
    find: t`Find issues`,
    create: t`New issue`,
    changeSelected: t`Change selected issues`,
    whose: t`Whose issues`,
    ofPlace: (full_path) => t`${full_path}: issues`,
    ofUser: (name) => t`Issues of ${name}`,
  }),
  sentences,
  ofProject: using('issues', project('visible')),
  states: () => [
    ['opened', t`Open`],
    ['closed', t`Closed`],
  ],
  scopes: () => [
    ['', t`Assigned to you`],
    ['created_by_me', t`Created by you`],
    ['all', t`All`],
  ],
  sorts,
  fields: (sent) => [
    ...peopleFields(sent),
    ...planFields(sent),
    { label: t`Due date`, name: 'due_date', value: sent.due_date, choices: dueChoices(), isRare: true },
    { label: t`Confidential`, name: 'confidential', value: sent.confidential, choices: confidentialChoices(), isRare: true },
  ],
  read: readerOf(issueQuery),
  filterOf: (sent, place) =>
    issueFilterOf({
      ...sorts()[sent.sort][1],
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
    noneSelected: () => sentences.noneSelected,
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
