/** Changes what comes before a merge request: which must be merged first, and the merge of its stack. */
import { Type } from 'typebox'
import { Failure, invalid, missing } from '../../../failure.ts'
import { readMergeRequest } from '../../../features/commands/quick-actions/quick-actions.ts'
import { cancelStackedMerge, mergeStack, type Step } from '../../../features/commands/stack-merges/stack-merges.ts'
import { addBlock, blockOf, deleteBlock } from '../../../features/review/dependencies/dependencies.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action } from '../../frame/declaration.ts'
import { overview } from './overview.ts'
import { mergeRequestAddress } from './parts.ts'
import { stackSentences } from './sentences.ts'

const managed = within(unarchived(only(project('signed-in'), allowed('manage_merge_requests'))), mergeRequestInPath)
/** The protection of the target branch decides whether they may. */
const mergeable = within(unarchived(project('signed-in')), mergeRequestInPath)

const block = nested({ block_id: Id }, async ({ merge_request }: MergeRequestGranted, { block_id }, app) => {
  const found = await blockOf(app.db, merge_request.id, block_id)
  if (!found) throw missing()
  return { block: found }
})

export const stackPages = [
  action('POST /:project/merge_requests/:merge_request_iid/blocks', {
    access: managed,
    form: { merge_request: Type.String({ maxLength: 2_000 }) },
    async act({ app, actor, user, project, merge_request, sent }) {
      const other = await readMergeRequest(app.db, app.config, actor, sent.merge_request.trim())
      if (!other) throw invalid({ merge_request: [stackSentences.noReference] })
      await addBlock(app, user, merge_request, other.id).catch((error: unknown) => {
        const isRule = error instanceof Failure && (error.code === 'conflict' || error.code === 'unprocessable')
        throw isRule ? invalid({ merge_request: [stackSentences.rules[String(error.message)] ?? String(error.message)] }, error) : error
      })
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: stackSentences.added }
    },
    again: (context, typed) => overview(context, { refusedDetail: typed }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/blocks/:block_id/delete', {
    access: within(managed, block),
    async act({ app, project, merge_request, block: { id } }) {
      await deleteBlock(app.db, id)
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: stackSentences.removed }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/stack/merge', {
    access: mergeable,
    form: { seen: Type.String({ maxLength: 10_000 }) },
    async act({ app, actor, project, merge_request, sent }) {
      await mergeStack(app, actor, merge_request, stepsIn(sent.seen)).catch((error: unknown) => {
        const isRefusal = error instanceof Failure && ['not_acceptable', 'method_not_allowed', 'invalid'].includes(error.code)
        throw isRefusal ? new Failure('unprocessable', stackSentences.lowestRefused, { cause: error }) : error
      })
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: stackSentences.merging }
    },
    again: (context, typed) => overview(context, { refusedMerge: typed }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/stack/cancel', {
    access: managed,
    async act({ app, user, project, merge_request }) {
      await cancelStackedMerge(app, user, merge_request)
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: stackSentences.canceled }
    },
  }),
]

/** `12 a94a8fe…,13 de9f2c7…`, as the page has written it. */
function stepsIn(seen: string): Step[] {
  return [...seen.matchAll(/(\d{1,15}) ([0-9a-f]{40,64})/g)].map(([, id, head_oid = '']) => ({ id: Number(id), head_oid }))
}
