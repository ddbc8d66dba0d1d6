/** Search in everything, in a group and in a project (spec 4.1), with what later versions of this API add. */
import { type Static, type TObject, Type } from 'typebox'
import { listEndpoint } from '../../../http/endpoint.ts'
import { group, project, signedIn } from '../../../http/rules.ts'
import { oneOf } from '../../../http/schema.ts'
import { Snippet } from '../../documents/snippets/snippets.schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { Issue } from '../../planning/issues/issues.schema.ts'
import { maxSearch_chars } from '../../planning/issues/issues.ts'
import { Milestone } from '../../planning/milestones/milestones.schema.ts'
import { Note } from '../../planning/notes/notes.schema.ts'
import { CommitDetail } from '../../repository/commits/commits.schema.ts'
import { MergeRequest } from '../../review/merge-requests/merge-requests.schema.ts'
import { ProjectSimple } from '../../spaces/projects/projects.schema.ts'
import { FoundBlob } from '../code-search/code-search.schema.ts'
import type { Search } from './find.service.ts'
import { type Scope, scopes, searchIn } from './searches.service.ts'

function parameters<const S extends readonly Scope[]>(scope: S) {
  return {
    scope: oneOf<S[number]>(...scope),
    search: Type.String({ maxLength: maxSearch_chars, description: 'Words; for files and commits a text, whatever the case' }),
    state: Type.Optional(oneOf('opened', 'closed', 'merged', 'locked', 'all')),
    confidential: Type.Optional(Type.Boolean({ description: 'Of issues' })),
    order_by: Type.Optional(
      Type.Unsafe<'created_at' | 'updated_at'>({
        ...oneOf('created_at', 'updated_at'),
        description: 'Of issues and merge requests; the last changed first unless given',
      }),
    ),
    sort: Type.Optional(oneOf('asc', 'desc')),
    search_type: Type.Optional(Type.String({ description: 'Without effect: there is one kind of search' })),
  }
}

type Sent = Static<TObject<ReturnType<typeof parameters>>>

function searchOf({ search, state, confidential, order_by, sort }: Sent, ref?: string): Search {
  return { text: search, state, confidential, order_by, sort, ref }
}

export const searches = [
  listEndpoint('GET /search', {
    summary: 'Search in everything',
    access: signedIn(),
    query: parameters(scopes.all),
    item: Type.Union([ProjectSimple, Issue, MergeRequest, Milestone, Snippet, FoundBlob, UserBrief]),
    handle: async ({ app, user, query, page }) => (await searchIn(app, user, { kind: 'all' }, query.scope, searchOf(query), page)) as never,
  }),
  listEndpoint('GET /groups/:id/search', {
    summary: 'Search in a group and all below it',
    alias: 'GET /groups/:id/-/search',
    access: group('signed-in'),
    query: parameters(scopes.group),
    item: Type.Union([ProjectSimple, Issue, MergeRequest, Milestone, FoundBlob, UserBrief]),
    handle: async ({ app, user, group: { id, parent_id }, query, page }) =>
      (await searchIn(app, user, { kind: 'group', id, parent_id }, query.scope, searchOf(query), page)) as never,
  }),
  listEndpoint('GET /projects/:id/search', {
    summary: 'Search in a project',
    alias: 'GET /projects/:id/-/search',
    access: project('signed-in'),
    query: {
      ...parameters(scopes.project),
      ref: Type.Optional(Type.String({ description: 'The branch, tag or commit whose files and commits are searched' })),
    },
    item: Type.Union([Issue, MergeRequest, Milestone, Note, CommitDetail, FoundBlob, UserBrief]),
    fails: ['unprocessable'],
    handle: async ({ app, user, project, level, repo, query, page }) =>
      (await searchIn(app, user, { kind: 'project', project, level, repo }, query.scope, searchOf(query, query.ref), page)) as never,
  }),
]
