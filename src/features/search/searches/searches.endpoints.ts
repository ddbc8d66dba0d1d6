/** Search in everything, in a group and in a project (spec 4.1), with what later versions of this API add. */
import { type Static, type TObject, Type } from 'typebox'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { group, project, signedIn } from '../../../http/declare/rules.ts'
import { oneOf, type Presented } from '../../../http/parameters/schema.ts'
import { Note } from '../../discussion/notes/notes.schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { maxSearch_chars } from '../../planning/issuables/issuables.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { Milestone } from '../../planning/milestones/milestones.schema.ts'
import { CommitDetail } from '../../repository/commits/commits.schema.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { Snippet } from '../../snippets/snippets.schema.ts'
import { ProjectSimple } from '../../spaces/projects/projects.schema.ts'
import { FoundBlob } from '../code-search/code-search.schema.ts'
import type { Search } from './find.service.ts'
import { searchers, searchIn } from './searches.service.ts'

function parameters<S extends string>(scopes: Record<S, unknown>) {
  return {
    scope: oneOf<S>(...(Object.keys(scopes) as S[])),
    search: Type.String({ maxLength: maxSearch_chars, description: 'Words; for files and commits a text, ignoring case' }),
    state: Type.Optional(oneOf('opened', 'closed', 'merged', 'locked', 'all')),
    confidential: Type.Optional(Type.Boolean({ description: 'Of issues' })),
    order_by: Type.Optional(
      Type.Unsafe<'created_at' | 'updated_at'>({
        ...oneOf('created_at', 'updated_at'),
        description: 'Of issues and merge requests; the last changed first unless given',
      }),
    ),
    sort: Type.Optional(oneOf('asc', 'desc')),
    regex: Type.Optional(
      Type.Boolean({
        description: 'Of `blobs`: the search is a regular expression in the syntax of RE2, by the index of default branches',
      }),
    ),
    search_type: Type.Optional(Type.String({ description: 'Without effect: there is one kind of search' })),
  }
}

type Sent = Static<TObject<ReturnType<typeof parameters>>>

function searchOf({ search, state, confidential, order_by, sort, regex }: Sent, ref?: string): Search {
  return { text: search, state, confidential, order_by, sort, regex, ref }
}

const all = Type.Union([ProjectSimple, Issue, MergeRequest, Milestone, Snippet, FoundBlob, UserBrief])
const inGroup = Type.Union([ProjectSimple, Issue, MergeRequest, Milestone, FoundBlob, UserBrief])
const inProject = Type.Union([Issue, MergeRequest, Milestone, Note, CommitDetail, FoundBlob, UserBrief])

type All = Presented<typeof all>
type InGroup = Presented<typeof inGroup>
type InProject = Presented<typeof inProject>

export const searches = [
  listEndpoint('GET /search', {
    limit: 'search',
    summary: 'Search in everything',
    access: signedIn(),
    query: parameters(searchers.all),
    item: all,
    handle: ({ app, user, query, page }) => searchIn<All>(searchers.all[query.scope], app, user, { kind: 'all' }, searchOf(query), page),
  }),
  listEndpoint('GET /groups/:id/search', {
    limit: 'search',
    summary: 'Search in a group and all below it',
    alias: 'GET /groups/:id/-/search',
    access: group('signed-in'),
    query: parameters(searchers.group),
    item: inGroup,
    handle: ({ app, user, group: { id, parent_id }, query, page }) =>
      searchIn<InGroup>(searchers.group[query.scope], app, user, { kind: 'group', id, parent_id }, searchOf(query), page),
  }),
  listEndpoint('GET /projects/:id/search', {
    limit: 'search',
    summary: 'Search in a project',
    alias: 'GET /projects/:id/-/search',
    access: project('signed-in'),
    query: {
      ...parameters(searchers.project),
      ref: Type.Optional(Type.String({ description: 'The branch, tag or commit whose files and commits are searched' })),
    },
    item: inProject,
    fails: ['unprocessable'],
    handle: ({ app, user, project, level, repo, query, page }) => {
      const place = { kind: 'project', project, level, repo } as const
      return searchIn<InProject>(searchers.project[query.scope], app, user, place, searchOf(query, query.ref), page)
    },
  }),
]
