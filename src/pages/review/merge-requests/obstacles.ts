/** Obstacles to a merge, each with its remedy. */

import { type Obstacle, obstacleWords } from '../../../features/review/mergeability/mergeability.ts'
import { type Html, html } from '../../../html/html.ts'
import { declared, t } from '../../../html/sentences.ts'
import { postButton } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { missingSentence } from './approvals.ts'
import { mayEdit } from './frame.ts'
import type { MergeShown } from './merging.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'

/** Null if nothing does. */
export function obstacleList(seen: MergeRequestSeen, shown: MergeShown): Html | null {
  const { obstacles } = shown.merging.mergeability
  if (obstacles.length === 0) return null
  return html`<ul class="plain obstacles">${obstacles.map((obstacle) => {
    const { what, how } = obstacleWords[obstacle]
    const words =
      obstacle === 'not_approved' ? missingSentence(seen.app, shown.merging.missing) : html`<b>${declared(what)}</b> ${declared(how)}`
    return html`<li class="line">${icon('warning')} <span>${words}</span>${lifts[obstacle]?.(seen, shown) ?? null}</li>`
  })}</ul>`
}

type Lift = (seen: MergeRequestSeen, shown: MergeShown) => Html | false

const at = ({ project, merge_request }: MergeRequestSeen) => mergeRequestAddress(project, merge_request.iid)

const lifts: Partial<Record<Obstacle, Lift>> = {
  draft: (seen, { framed }) =>
    mayEdit(seen, framed.described) &&
    postButton(t`Mark as ready`, { action: `${at(seen)}/draft`, token: seen.token, fields: { draft: 'false' } }),
  need_rebase: (seen, { framed }) => framed.source.mayPush && postButton(t`Rebase`, { action: `${at(seen)}/rebase`, token: seen.token }),
  conflict: (seen) => html`<a class="button" href="${at(seen)}/conflicts">Resolve conflicts</a>`,
  discussions_not_resolved: (seen) => html`<a class="button" href="${at(seen)}#notes">To the discussions</a>`,
  target_missing: (seen, { framed }) =>
    mayEdit(seen, framed.described) && html`<a class="button" href="${at(seen)}/edit">Choose another</a>`,
}
