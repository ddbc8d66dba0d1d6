/** One merge request. */
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { overview } from './overview.ts'

export const mergeRequestPages = [
  page('GET /:project/merge_requests/:merge_request_iid', {
    access: within(project('visible'), mergeRequestInPath),
    query: pageNumber,
    show: (context) => overview(context, { page: context.sent.page }),
  }),
]
