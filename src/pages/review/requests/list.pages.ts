/** The merge requests of a project, of a group, and those of one's own: found by filters that stand in the address. */
import { onProjectOrGroup } from '../../../http/places.ts'
import { project, signedIn, using } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { listQuery } from './list-filters.ts'
import { listView } from './list-view.ts'

export const requestListPages = [
  page('GET /dashboard/merge_requests', {
    access: signedIn(),
    query: listQuery,
    show: ({ sent, ...context }) => listView({ ...context, place: null }, sent),
  }),
  page('GET /groups/:group/-/merge_requests', {
    access: onProjectOrGroup('group', 'visible'),
    query: listQuery,
    show: ({ sent, ...context }) => listView(context, sent),
  }),
  page('GET /:project/merge_requests', {
    access: using('merge_requests', project('code')),
    query: listQuery,
    show: ({ sent, project: row, level, ...context }) => listView({ ...context, place: { kind: 'project', row, level } }, sent),
  }),
]
