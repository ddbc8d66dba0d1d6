/** Lists of merge requests: their parameters, sorting, rows, and bulk changes. */

import type { Static, TObject } from 'typebox'
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { pageUrl, webUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { Failure } from '../../../failure.ts'
import { changeMergeRequest } from '../../../features/commands/merge-requests/merge-requests.ts'
import {
  countMergeRequests,
  type DescribedMergeRequest,
  describeMergeRequests,
  listMergeRequests,
  type MergeRequestFilter,
  type MergeRequestOrder,
  mergeRequestFilterOf,
} from '../../../features/review/merge-requests/merge-requests.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project, unarchived, using } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { instantOf, tagUri } from '../../feeds/atom.ts'
import { commonFilterOf, commonQuery, peopleFields, planFields, readerOf, words } from '../../planning/lists/filters.ts'
import type { Listing } from '../../planning/lists/listing.ts'
import { atomPages, listPages, manyPages } from '../../planning/lists/lists.pages.ts'
import { pushOffer } from '../../project/push-offer.ts'
import { requestOf } from './fields.ts'
import { mergeRequestRow } from './row.ts'
import { sentences } from './sentences.ts'

const sorts = () =>
  ({
    created_desc: [t`Newest`, { order_by: 'created_at', sort: 'desc' }],
    created_asc: [t`Oldest`, { order_by: 'created_at', sort: 'asc' }],
    updated_desc: [t`Last changed`, { order_by: 'updated_at', sort: 'desc' }],
    updated_asc: [t`Least recently changed`, { order_by: 'updated_at', sort: 'asc' }],
    merged_at_desc: [t`Last merged`, { order_by: 'merged_at', sort: 'desc' }],
    priority: [t`Priority`, { order_by: 'priority', sort: 'asc' }],
    label_priority: [t`Priority of labels`, { order_by: 'label_priority', sort: 'asc' }],
    milestone_due: [t`Milestone due first`, { order_by: 'milestone_due', sort: 'asc' }],
    popularity: [t`Most votes`, { order_by: 'popularity', sort: 'desc' }],
    title_asc: [t`Title`, { order_by: 'title', sort: 'asc' }],
  }) as const satisfies Record<string, readonly [string, { order_by: MergeRequestOrder; sort: 'asc' | 'desc' }]>

type Sort = keyof ReturnType<typeof sorts>

const otherSorts = (Object.keys(sorts()) as Sort[]).filter((name) => name !== 'created_desc')

const draftChoices = () =>
  [
    ['', t`Drafts or not`],
    ['yes', t`Drafts`],
    ['no', t`Ready`],
  ] as const

/** How the newest pipeline ended, or that it goes on. */
const pipelines = {
  success: ['success'],
  failed: ['failed'],
  running: ['created', 'waiting_for_resource', 'pending', 'running', 'scheduled', 'manual'],
  canceled: ['canceled', 'skipped'],
  none: 'none',
} as const satisfies Record<string, MergeRequestFilter['pipeline']>

const pipelineChoices = () =>
  [
    ['', t`Any pipeline`],
    ['success', t`Passed`],
    ['failed', t`Failed`],
    ['running', t`Running or waiting`],
    ['canceled', t`Canceled or skipped`],
    ['none', t`No pipeline`],
  ] as const

const mergeRequestQuery = {
  ...commonQuery,
  state: oneOfDefault('opened', 'merged', 'closed', 'all'),
  sort: oneOfDefault<Sort>('created_desc', ...otherSorts),
  reviewer_username: words,
  approved_by_username: words,
  source_branch: words,
  target_branch: words,
  draft: oneOfDefault('', 'yes', 'no'),
  pipeline: oneOfDefault('', 'success', 'failed', 'running', 'canceled', 'none'),
  /** The scope of the dashboard; by default, merge requests assigned to the user. */
  scope: oneOfDefault('', 'reviews_for_me', 'created_by_me', 'all'),
}

type MergeRequestSent = Static<TObject<typeof mergeRequestQuery>>

const mergeRequestListing: Listing<MergeRequestSent, MergeRequestFilter, DescribedMergeRequest> = {
  name: 'merge_requests',
  words: () => ({
    title: t`Merge requests`,
    find: t`Find merge requests`,
    create: t`New merge request`,
    changeSelected: t`Change selected merge requests`,
    whose: t`Whose merge requests`,
    ofPlace: (full_path) => t`${full_path}: merge requests`,
    ofUser: (name) => t`Merge requests of ${name}`,
  }),
  sentences,
  ofProject: using('merge_requests', project('code')),
  states: () => [
    ['opened', t`Open`],
    ['merged', t`Merged`],
    ['closed', t`Closed`],
  ],
  scopes: () => [
    ['', t`Assigned to you`],
    ['reviews_for_me', t`For you to review`],
    ['created_by_me', t`Created by you`],
    ['all', t`All`],
  ],
  sorts,
  fields: (sent) => [
    ...peopleFields(sent),
    { label: t`Reviewer`, name: 'reviewer_username', value: sent.reviewer_username, key: '@', shortcut: 'w', none: t`Nobody` },
    { label: t`Approved by`, name: 'approved_by_username', value: sent.approved_by_username, key: '@', isRare: true },
    ...planFields(sent),
    { label: t`Source branch`, name: 'source_branch', value: sent.source_branch, isRare: true },
    { label: t`Target branch`, name: 'target_branch', value: sent.target_branch, isRare: true },
    { label: t`Drafts`, name: 'draft', value: sent.draft, choices: draftChoices(), isRare: true },
    { label: t`Pipeline`, name: 'pipeline', value: sent.pipeline, choices: pipelineChoices(), isRare: true },
  ],
  read: readerOf(mergeRequestQuery),
  filterOf: (sent, place) => ({
    ...mergeRequestFilterOf({
      ...sorts()[sent.sort][1],
      ...commonFilterOf(sent, place),
      reviewer_username: [sent.reviewer_username],
      approved_by_usernames: [sent.approved_by_username],
      source_branch: sent.source_branch.trim(),
      target_branch: sent.target_branch.trim(),
      ...(sent.draft !== '' && { draft: sent.draft === 'yes' }),
    }),
    // Not a parameter of the API.
    ...(sent.pipeline !== '' && { pipeline: pipelines[sent.pipeline] }),
  }),
  async find({ db }, user, scope, filter, page) {
    const { rows, total } = await listMergeRequests(db, user, scope, filter, page)
    return { rows: await describeMergeRequests(db, rows), total }
  },
  count: ({ db }, user, scope, filter) => countMergeRequests(db, user, scope, filter),
  row: (app, described, { isSelectable, project: row }) =>
    mergeRequestRow(app, described, { isSelectable, withProject: row === null, usualTarget: row?.default_branch ?? null }),
  entry: ({ config }, { merge_request, author, target }) => ({
    id: tagUri(config, merge_request.created_at, 'merge_request', merge_request.id),
    title: html`${merge_request.title}`,
    link: pageUrl(config, mergeRequestAddress(target, merge_request.iid)),
    updated: instantOf(merge_request.updated_at),
    author: { name: author.name, uri: webUrl(config, author.username) },
    summary: merge_request.description ?? undefined,
  }),
  hasCalendar: false,
  mayPlan: (level) => canManageMergeRequests({ level }),
  // Any signed-in user may open the form, which explains from which projects they can propose something.
  mayAdd: (row) => row.default_branch !== null,
  above: ({ app, user, place: { row, level } }) => pushOffer(app, { project: row, level, user }),
}

export const mergeRequestListPages = [
  ...listPages(mergeRequestListing, mergeRequestQuery),
  ...atomPages(mergeRequestListing, mergeRequestQuery),
  ...manyPages(mergeRequestListing, {
    access: using('merge_requests', unarchived(project('manage_merge_requests'))),
    noneSelected: () => sentences.noneSelected,
    async change({ app, user, project: row, level }, iids, { assignee, milestone_id, ...plain }) {
      const named = { ...(assignee !== undefined && { assignee }), ...(milestone_id !== undefined && { milestone_id }) }
      const request = { ...(await requestOf(app, row, named)), ...plain }
      const { rows } = await listMergeRequests(app.db, user, { project_id: row.id }, { iids }, { limit: iids.length, offset: 0 })
      // One by one: a merge request can't be reopened if another one has the same branches.
      const refused: number[] = []
      for (const merge_request of rows) {
        await changeMergeRequest(app, { user, project: row, level }, merge_request, request).catch((error: unknown) => {
          if (!(error instanceof Failure) || error.code !== 'conflict') throw error
          refused.push(merge_request.iid)
        })
      }
      return [sentences.changed(rows.length - refused.length), ...refused.map(sentences.notReopenedBeside)].join(' ')
    },
  }),
]
