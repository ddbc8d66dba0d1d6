/** The form that merges, with its options; or the one that cancels an automatic merge. */

import { mergeTrainsAddress } from '../../../addresses/merge-requests.ts'
import type { Obstacle } from '../../../features/review/mergeability/mergeability.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { checkbox, hidden, postButton, textArea, untouched } from '../../frame/forms.ts'
import type { MergeShown } from './merging.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { mergeSentences } from './sentences.ts'

/** Obstacles that will end without anybody's action. */
const waitedFor: ReadonlySet<Obstacle> = new Set(['ci_still_running'])

/** A queue tests it on what the target is then. */
const passedByQueue: ReadonlySet<Obstacle> = new Set(['ci_still_running', 'need_rebase'])

/** For users who may merge; null if an obstacle remains that somebody has to remove. */
export function mergeForm(seen: MergeRequestSeen, shown: MergeShown): Html | null {
  const { project, merge_request, token } = seen
  const { obstacles, version } = shown.merging.mergeability
  const address = mergeRequestAddress(project, merge_request.iid)
  if (shown.merging.position !== null) return queuedView(seen, shown, shown.merging.position)
  if (merge_request.merge_when_pipeline_succeeds) {
    return html`<p>${mergeSentences.waiting}</p>${postButton(t`Don’t merge by itself`, { action: `${address}/cancel_merge`, token })}`
  }
  const passed = project.merge_trains_enabled ? passedByQueue : waitedFor
  if (version === null || obstacles.some((obstacle) => !passed.has(obstacle))) return null
  const isWaiting = obstacles.some((obstacle) => waitedFor.has(obstacle))
  if (project.merge_trains_enabled) return queueForm(seen, shown, { sha: version.head_oid, commits: version.commits, isWaiting })
  const label = isWaiting ? t`Merge when the pipeline succeeds` : t`Merge`
  return html`
    <form method="post" action="${address}/merge">
      ${token}${hidden({ sha: version.head_oid, when_pipeline_succeeds: String(isWaiting) })}
      ${choices(seen, shown, version.commits)}
      <p class="actions"><button class="primary" data-key="m g">${label}</button></p>
    </form>
  `
}

/** In a project with a merge queue, the form adds to the queue; some users may also merge past it. */
function queueForm(
  seen: MergeRequestSeen,
  shown: MergeShown,
  { sha, commits, isWaiting }: { sha: string; commits: number; isWaiting: boolean },
): Html {
  const { project, merge_request, token } = seen
  const label = isWaiting ? t`Add to the merge queue when the pipeline succeeds` : t`Add to the merge queue`
  const isFree = shown.merging.mergeability.obstacles.length === 0
  return html`
    <form method="post" action="${mergeRequestAddress(project, merge_request.iid)}/merge">
      ${token}${hidden({ sha })}
      ${choices(seen, shown, commits)}
      <p class="actions">
        <button class="primary" name="when_pipeline_succeeds" value="true" data-key="m g">${label}</button>
        ${shown.merging.mayPass && isFree && html`<button name="when_pipeline_succeeds" value="false">Merge immediately</button>`}
      </p>
    </form>
  `
}

/** Its place in the queue, and the ways out of it. */
function queuedView({ project, merge_request, token }: MergeRequestSeen, { merging }: MergeShown, position: number): Html {
  const address = mergeRequestAddress(project, merge_request.iid)
  const sha = merging.version?.head_oid ?? ''
  return html`
    <p>
      ${mergeSentences.queued(position)}
      <a href="${mergeTrainsAddress(project, { branch: merge_request.target_branch })}">Merge queue</a>
    </p>
    <div class="actions">
      ${postButton(t`Take it out of the queue`, { action: `${address}/cancel_merge`, token })}
      ${
        merging.mayPass &&
        merging.mergeability.obstacles.length === 0 &&
        postButton(t`Merge immediately`, { action: `${address}/merge`, token, fields: { sha, when_pipeline_succeeds: 'false' } })
      }
    </div>
  `
}

function choices({ project, merge_request }: MergeRequestSeen, { refused, framed }: MergeShown, commits: number): Html {
  const typed = refused ?? untouched
  const { squash_option, merge_method } = project
  const removal =
    framed.source.mayRemove &&
    checkbox(t`Delete the source branch`, 'should_remove_source_branch', typed, {
      value: merge_request.force_remove_source_branch ? 'true' : 'false',
    })
  const squash =
    squash_option === 'always'
      ? html`<p class="hint">${mergeSentences.squashAlways}</p>`
      : squash_option !== 'never' &&
        commits > 1 &&
        checkbox(t`Squash the commits`, 'squash', typed, { value: merge_request.squash ? 'true' : 'false' })
  const messages = [
    merge_method !== 'ff' &&
      textArea(t`Message of the merge commit`, 'merge_commit_message', typed, { rows: 4, hint: mergeSentences.messageHint }),
    squash_option !== 'never' &&
      commits > 1 &&
      textArea(t`Message of the squashed commit`, 'squash_commit_message', typed, { rows: 4, hint: mergeSentences.messageHint }),
  ].filter((one) => one !== false)
  return html`
    <div class="merge-options">${removal}${squash}</div>
    ${
      messages.length > 0 &&
      html`
        <details${refused && html` open`}>
          <summary>Edit merge message</summary>
          ${messages}
        </details>
      `
    }
  `
}
