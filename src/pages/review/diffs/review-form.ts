/** The end of a review: its comments that nobody else sees yet, a summary and a verdict, submitted together. */

import { approvalsNeededNow } from '../../../features/review/approval-rules/approval-rules.ts'
import { approvalsOf, canApprove } from '../../../features/review/approvals/approvals.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { hidden, markdownField, problemsOf, radios, untouched } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { refusalToComment } from '../../planning/discussion/threads.ts'
import { type MergeRequestSeen, noteableOf } from '../merge-requests/seen.ts'
import { type Compared, placeIn } from './compared-versions.ts'
import { draftView } from './hooks.ts'
import type { Talked } from './read.ts'
import { sentences } from './sentences.ts'

interface ReviewRequest {
  talked: Talked
  compared: Compared
  changes: string
  /** The form that was refused. */
  typed: Typed | null
}

/** Null for who can't comment. Two statements at most. */
export async function reviewForm(seen: MergeRequestSeen, { talked, compared, changes, typed }: ReviewRequest): Promise<Html | null> {
  if (refusalToComment({ ...seen, noteable: noteableOf(seen) }) !== null) return null
  const { drafts } = talked
  const { token, project } = seen
  const elsewhere = drafts.filter(({ row }) => row.discussion_id === null && placeIn(row, compared.refs) === null)
  const refusal = await refusalToApprove(seen)
  const summary = markdownField(t`Summary`, 'body', typed ?? untouched, { project, takesFiles: true, rows: 3, id: 'review-' })
  return html`
    <section class="review-form panel" id="review" aria-labelledby="review-head">
      <h2 id="review-head">Review</h2>
      ${drafts.length > 0 && html`<p>${icon('comment')} ${sentences.inReview(drafts.length)}</p>`}
      ${elsewhere.map((draft) => draftView(seen, draft, changes))}
      ${typed && problemsOf(typed.errors, ['body', 'verdict'])}
      <form method="post" action="${changes}/review">
        ${token}${hidden({ sha: seen.merge_request.head_oid ?? '' })}${summary}
        ${radios(
          t`Verdict`,
          'verdict',
          typed ?? untouched,
          [
            ['comment', t`Comment`, sentences.verdicts.comment],
            ['approve', t`Approve`, sentences.verdicts.approve, refusal],
            ['request', t`Request changes`, sentences.verdicts.request],
          ],
          'comment',
        )}
        <p class="actions">
          <button class="primary" name="act" value="submit">Submit review</button>
          ${drafts.length > 0 && html`<button class="danger" name="act" value="discard">Discard comments</button>`}
        </p>
      </form>
    </section>
  `
}

async function refusalToApprove({ app, project, level, user, merge_request }: MergeRequestSeen): Promise<string | null> {
  const approvals = await approvalsOf(app.db, merge_request.id)
  if (approvals.some((approval) => approval.user.id === user?.id)) return sentences.hasApproved
  const needed = await approvalsNeededNow(app, project, merge_request)
  if (!(await canApprove(app.db, { project, level }, merge_request, user, needed))) return sentences.cantApprove
  return needed.settings.require_password_to_approve ? sentences.needsProof : null
}
