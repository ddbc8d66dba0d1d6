/** Resolves conflicts of a merge request in the browser, with a commit on the source branch. */
import { Type } from 'typebox'
import { Failure } from '../../../failure.ts'
import { resolveConflicts, type Side } from '../../../features/commands/merging/merging.ts'
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { conflictsView } from './conflicts-view.ts'
import { sentences } from './sentences.ts'

const sha = Type.String({ default: '', maxLength: 64 })
const side = Type.Unsafe<Side | ''>({ type: 'string', enum: ['', 'ours', 'theirs', 'both'], default: '' })
const maxSections = 10_000

const file = Type.Object({
  path: Type.String({ maxLength: 4_096 }),
  sides: Type.Array(side, { default: [], maxItems: maxSections }),
  text: Type.Optional(Type.String()),
})

export const conflictPages = [
  page('GET /:project/merge_requests/:merge_request_iid/conflicts', {
    access: within(project('visible'), mergeRequestInPath),
    show: (seen) => conflictsView(seen),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/conflicts', {
    access: within(unarchived(project('signed-in')), mergeRequestInPath),
    form: {
      source_sha: sha,
      target_sha: sha,
      message: Type.String({ default: '', maxLength: 1_000_000 }),
      files: Type.Array(file, { default: [], maxItems: 100 }),
    },
    async act(seen) {
      const { app, user, project, level, merge_request, sent } = seen
      const files = sent.files.map(({ path, sides, text }) => ({
        path,
        sides: sides.map((chosen) => (chosen === '' ? null : chosen)),
        text: text ?? null,
      }))
      const request = { sides: { ours: sent.source_sha, theirs: sent.target_sha }, files, message: sent.message }
      const outcome = await resolveConflicts(app, { user, project, level }, merge_request, request).catch((error: unknown) => {
        throw inWords(error)
      })
      if (outcome.kind === 'done') return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.resolvedAll }
      const view = await conflictsView(seen, {
        typed: { ...untouched, values: { message: sent.message } },
        files,
        unresolved: outcome.files,
      })
      return { ...view, status: 422 }
    },
    again: (seen, typed) => conflictsView(seen, { typed, files: [], unresolved: {} }),
  }),
]

/** Replaces the short errors of the API by complete messages. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'conflict') return new Failure('conflict', sentences.moved, { cause: error })
  if (error.code === 'method_not_allowed') return new Failure('unprocessable', sentences.notOpen, { cause: error })
  return error.code === 'forbidden' ? new Failure('forbidden', sentences.mayNotPush, { cause: error }) : error
}
