/** One issue. */
import { issueInPath } from '../../../features/planning/issues/issues.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { issueView } from './issue-view.ts'

export const issuePages = [
  page('GET /:project/issues/:issue_iid', {
    access: within(project('visible'), issueInPath),
    query: pageNumber,
    show: (context) => issueView(context, { page: context.sent.page }),
  }),
]
