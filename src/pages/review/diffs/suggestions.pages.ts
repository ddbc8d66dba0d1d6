/** Applies suggestions from the page of changes: one, or several as one commit. */
import { Type } from 'typebox'
import { Failure, invalid } from '../../../failure.ts'
import { applySuggestions } from '../../../features/commands/suggestions/suggestions.ts'
import { mergeRequestInPath } from '../../../features/review/merge-requests/merge-requests.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action } from '../../frame/declaration.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { suggestionSentences as sentences } from '../suggestions/sentences.ts'

/** The protection of the source branch decides whether they may push. */
const pushing = within(unarchived(project('signed-in')), mergeRequestInPath)

export const suggestionPages = [
  action('POST /:project/merge_requests/:merge_request_iid/diffs/suggestions', {
    access: pushing,
    form: { ids: Type.Array(Id, { default: [], maxItems: 100 }), message: Type.String({ default: '', maxLength: 10_000 }) },
    async act({ app, user, merge_request, project: target, sent: { ids, message } }) {
      if (ids.length === 0) throw invalid(sentences.noneSelected)
      await applySuggestions(app, user, ids, message).catch((error: unknown) => {
        throw error instanceof Failure && error.code === 'invalid' ? invalid(sentences.cantApplyTogether) : error
      })
      return { redirect: `${mergeRequestAddress(target, merge_request.iid)}/diffs`, notice: sentences.appliedAll(ids.length) }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/diffs/suggestions/:suggestion_id/apply', {
    access: within(
      pushing,
      nested({ suggestion_id: Id }, (_granted, { suggestion_id }) => ({ suggestion_id })),
    ),
    form: { back: Type.String({ default: '', maxLength: 8_000 }) },
    async act({ app, user, merge_request, project: target, suggestion_id, sent: { back } }) {
      await applySuggestions(app, user, [suggestion_id], null).catch((error: unknown) => {
        throw error instanceof Failure && error.code === 'invalid' ? invalid(sentences.cantApply) : error
      })
      return { redirect: ownAddress(back) ?? `${mergeRequestAddress(target, merge_request.iid)}/diffs`, notice: sentences.applied }
    },
  }),
]
