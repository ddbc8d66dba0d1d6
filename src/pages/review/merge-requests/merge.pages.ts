/** Merges from the page: now or once the pipeline succeeds; rebases, and deletes the source branch afterwards. */
import { Type } from 'typebox'
import { Failure, forbidden } from '../../../failure.ts'
import { mergeOrAdd } from '../../../features/commands/merge-trains/merge-trains.ts'
import { cancelMerge, rebaseMergeRequest } from '../../../features/commands/merging/merging.ts'
import { retryCheck } from '../../../features/integrations/status-checks/status-checks.ts'
import { deleteBranch } from '../../../features/repository/branches/branches.ts'
import { isQueued, mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { refusalInWords } from '../../../html/refusals.ts'
import { allowed, only, project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { action } from '../../frame/declaration.ts'
import { overview } from './overview.ts'
import { mergeRequestAddress } from './parts.ts'
import { mergeSentences, sentences } from './sentences.ts'
import { accessToSource, readSource } from './source.ts'

/** The protection of the branches decides whether they may. */
const access = within(unarchived(project('signed-in')), mergeRequestInPath)
const message = Type.String({ default: '', maxLength: 1_000_000 })

export const mergePages = [
  action('POST /:project/merge_requests/:merge_request_iid/merge', {
    access,
    form: {
      sha: Type.String({ maxLength: 100 }),
      when_pipeline_succeeds: Type.Boolean({ default: false }),
      squash: Type.Optional(Type.Boolean()),
      should_remove_source_branch: Type.Optional(Type.Boolean()),
      merge_commit_message: message,
      squash_commit_message: message,
    },
    async act({ app, actor, project, merge_request, sent }) {
      const { merge_commit_message, squash_commit_message, when_pipeline_succeeds, ...plain } = sent
      const after = await mergeOrAdd(app, actor, merge_request, {
        ...plain,
        merge_when_pipeline_succeeds: when_pipeline_succeeds,
        merge_commit_message: merge_commit_message.trim() || undefined,
        squash_commit_message: squash_commit_message.trim() || undefined,
      }).catch((error: unknown) => {
        throw inWords(error)
      })
      const waits = isQueued(after) ? sentences.queued : sentences.scheduled
      const notice = after.state === 'merged' ? sentences.merged : waits
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice }
    },
    again: (context, typed) => overview(context, { refusedMerge: typed }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/cancel_merge', {
    access,
    async act({ app, actor, project, merge_request }) {
      await cancelMerge(app, actor, merge_request)
      const notice = isQueued(merge_request) ? sentences.unqueued : sentences.unscheduled
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/status_checks/:check/retry', {
    access: within(only(unarchived(project('signed-in')), allowed('answer_status_checks')), mergeRequestInPath),
    async act({ app, user, project, merge_request, params }) {
      await retryCheck(app, user, merge_request, Number(params.check))
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.checkAsked }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/rebase', {
    access,
    async act({ app, actor, project, merge_request }) {
      const { merge_error } = await rebaseMergeRequest(app, actor, merge_request)
      return {
        redirect: mergeRequestAddress(project, merge_request.iid),
        notice: merge_error === null ? sentences.rebased : refusalInWords(merge_error),
      }
    },
    again: (context, typed) => overview(context, { refusedMerge: typed }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/remove_source_branch', {
    access,
    form: { sha: Type.String({ maxLength: 100 }) },
    async act(seen) {
      const { app, user, project, merge_request, sent } = seen
      const [source, owner] = [await readSource(seen), await accessToSource(seen)]
      if (!owner || !source.mayRemove || source.tip === null) throw forbidden()
      if (source.tip !== sent.sha) throw new Failure('conflict', mergeSentences.sourceMoved)
      const branch = { name: merge_request.source_branch, oid: source.tip, commit: source.tip, committed_at: 0 }
      await deleteBranch(app, { user, ...owner }, branch)
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.sourceRemoved }
    },
  }),
]

/** Replaces the short errors of the API by complete messages; the box above the form shows what prevents the merge. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  const words: Partial<Record<Failure['code'], string>> = {
    conflict: mergeSentences.movedSince,
    method_not_allowed: mergeSentences.notMergeable,
    not_acceptable: mergeSentences.notMergeable,
  }
  const sentence = words[error.code]
  if (sentence === undefined) return error
  // Shows the form again if another attempt may succeed.
  return new Failure(error.code === 'conflict' ? 'conflict' : 'unprocessable', sentence, { cause: error })
}
