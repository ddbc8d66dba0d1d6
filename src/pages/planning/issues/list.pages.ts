/** The issues of a project, of a group, and those of one's own: found by filters that stand in the address. */
import { onProjectOrGroup, usingPlace } from '../../../http/places.ts'
import { signedIn } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { listQuery } from './list-filters.ts'
import { listView } from './list-view.ts'

export const issueListPages = [
  page('GET /dashboard/issues', {
    access: signedIn(),
    query: listQuery,
    show: ({ sent, ...context }) => listView({ ...context, place: null }, sent),
  }),
  page('GET /groups/:group/-/issues', {
    access: onProjectOrGroup('group', 'visible'),
    query: listQuery,
    show: ({ sent, ...context }) => listView(context, sent),
  }),
  page('GET /:project/issues', {
    access: usingPlace(['issues'], onProjectOrGroup('project', 'visible')),
    query: listQuery,
    show: ({ sent, ...context }) => listView(context, sent),
  }),
]
