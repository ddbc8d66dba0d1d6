/** Lists of merge requests of projects, of groups and of everything (spec 4.3). */
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { listEndpoint } from '../../../http/declare/endpoint.ts'
import { onProjectOrGroup, type PlaceGranted } from '../../../http/declare/places.ts'
import { type Condition, only, signedIn } from '../../../http/declare/rules.ts'
import { scopeOf } from '../../planning/issuables/issuables.ts'
import { mergeRequestFilterOf, mergeRequestListParameters } from './lists.parameters.ts'
import { pageOfMergeRequests } from './lists.service.ts'
import { MergeRequestAny } from './merge-requests.schema.ts'

const kinds = ['project', 'group'] as const

/**
 * As in the reference, callers who can't see the merge requests of a project get an error for its list; in lists of a group they are left
 * out.
 */
const readers: Condition<PlaceGranted> = {
  description: 'those who may read the code of the project, where merge requests are on',
  holds: ({ user, place }) => place.kind === 'group' || canSeeMergeRequests({ project: place.row, level: place.level }, user),
}

export const mergeRequestLists = [
  listEndpoint('GET /merge_requests', {
    summary: 'List merge requests: by default those created by the caller',
    access: signedIn(),
    query: mergeRequestListParameters,
    keyset: true,
    item: MergeRequestAny,
    handle: ({ app, user, query, page }) => pageOfMergeRequests(app, user, {}, mergeRequestFilterOf(query, 'created_by_me'), page, query),
  }),
  ...kinds.map((kind) =>
    listEndpoint(`GET /${kind}s/:id/merge_requests`, {
      summary:
        kind === 'project' ? 'List the merge requests of a project' : 'List the merge requests of a group and of all groups below it',
      access: only(onProjectOrGroup(kind, 'signed-in'), readers),
      query: mergeRequestListParameters,
      keyset: true,
      item: MergeRequestAny,
      handle: ({ app, user, place, query, page }) =>
        pageOfMergeRequests(app, user, scopeOf(place), mergeRequestFilterOf(query), page, query),
    }),
  ),
]
