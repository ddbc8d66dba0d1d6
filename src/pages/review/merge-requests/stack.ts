/** Which merge requests come before or after one: those it waits for, and the stack that its branches tell. */

import { blocksAt, isBlocked, type Stacked, stackedIn, stackOf, visibleAmong } from '../../../features/review/dependencies/dependencies.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { section } from '../../planning/discussion/side.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'

export interface Before {
  /** From the lowest; empty if it builds on nothing, and nothing on it. */
  stack: Stacked[]
  /** Merge requests of its own project, and of others by their id; those that the viewer can't see are counted. */
  waitsFor: Array<{ id: number; iid: number; title: string; isMerged: boolean; isNear: boolean }>
  hidden: number
}

const maxShown = 20

/** At most five statements. */
export async function readBefore({ app, project, user, merge_request }: MergeRequestSeen): Promise<Before> {
  const stack = merge_request.state === 'opened' ? stackOf(merge_request.id, await stackedIn(app.db, project.id)) : []
  const none = merge_request.state === 'opened' && !(await isBlocked(app.db, merge_request.id))
  if (none) return { stack, waitsFor: [], hidden: 0 }
  const { rows } = await blocksAt(app.db, 'blocked_merge_request_id', merge_request.id, { limit: maxShown, offset: 0 })
  const seen = await visibleAmong(
    app.db,
    user,
    rows.map((block) => block.blocking_merge_request_id),
  )
  const waitsFor = [...seen.values()].map(({ id, iid, title, state, project_id }) => {
    return { id, iid, title, isMerged: state === 'merged', isNear: project_id === project.id }
  })
  return { stack, waitsFor, hidden: rows.length - seen.size }
}

/** Empty if it stands alone. */
export function beforeSection({ project, merge_request }: MergeRequestSeen, { stack, waitsFor, hidden }: Before): Html {
  const link = (iid: number, title: string) => html`<a href="${mergeRequestAddress(project, iid)}"><bdi>${title}</bdi></a>`
  const place = stack.findIndex(({ id }) => id === merge_request.id) + 1
  const steps = [...stack].reverse().map(({ id, iid, title }) => {
    return html`<li>${id === merge_request.id ? html`<b>${title}</b>` : link(iid, title)}</li>`
  })
  const waiting = waitsFor.map(({ id, iid, title, isMerged, isNear }) => {
    const named = isNear ? link(iid, title) : html`<bdi>${title}</bdi> <span class="hint">of another project, id ${id}</span>`
    return html`<li>${named}${isMerged && t` (merged)`}</li>`
  })
  const whole = t`${place} of ${stack.length} in a stack, the lowest last`
  return html`
    ${stack.length > 0 && section(t`Stack`, html`<p>${whole}</p><ul class="plain">${steps}</ul>`)}
    ${
      waitsFor.length + hidden > 0 &&
      section(t`Merged after`, html`<ul class="plain">${waiting}${hidden > 0 && html`<li>${hidden} that you can’t see</li>`}</ul>`)
    }
  `
}
