/** Lists of issues of projects, of groups and of everything, and their statistics (spec 4.2). */
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { onProjectOrGroup } from '../../../http/declare/places.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { scopeOf } from '../issuables/issuables.ts'
import { Issue, IssueStatistics } from './issues.schema.ts'
import { issueFilterOf, issueFilters, issueListParameters } from './lists.parameters.ts'
import { pageOfIssues, statisticsOf } from './lists.service.ts'

const kinds = ['project', 'group'] as const

export const issueLists = [
  listEndpoint('GET /issues', {
    summary: 'List issues: by default those created by the caller',
    access: signedIn(),
    query: issueListParameters,
    keyset: true,
    item: Issue,
    handle: ({ app, user, query, page }) =>
      pageOfIssues(app, user, {}, issueFilterOf(query, 'created_by_me'), page, { labelDetails: query.with_labels_details }),
  }),
  endpoint('GET /issues_statistics', {
    summary: 'Count issues by state: by default those created by the caller',
    access: signedIn(),
    query: issueFilters,
    reply: IssueStatistics,
    handle: ({ app, user, query }) => statisticsOf(app, user, {}, issueFilterOf(query, 'created_by_me')),
  }),
  ...kinds.flatMap((kind) => [
    listEndpoint(`GET /${kind}s/:id/issues`, {
      summary: kind === 'project' ? 'List the issues of a project' : 'List the issues of a group and of all groups below it',
      access: onProjectOrGroup(kind, 'signed-in'),
      query: issueListParameters,
      keyset: true,
      item: Issue,
      handle: ({ app, user, place, query, page }) =>
        pageOfIssues(app, user, scopeOf(place), issueFilterOf(query), page, {
          labelDetails: query.with_labels_details,
          within: place.kind === 'project' ? place.row.id : null,
        }),
    }),
    endpoint(`GET /${kind}s/:id/issues_statistics`, {
      summary: `Count the issues of a ${kind} by state`,
      access: onProjectOrGroup(kind, 'signed-in'),
      query: issueFilters,
      reply: IssueStatistics,
      handle: ({ app, user, place, query }) => statisticsOf(app, user, scopeOf(place), issueFilterOf(query)),
    }),
  ]),
]
