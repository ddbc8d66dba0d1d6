/** The issues of a project: found by filters that stand in the address. */
import { project, using } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { listQuery } from './list-filters.ts'
import { listView } from './list-view.ts'

export const issueListPages = [
  page('GET /:project/issues', {
    access: using('issues', project('visible')),
    query: listQuery,
    show: ({ sent, ...context }) => listView(context, sent),
  }),
]
