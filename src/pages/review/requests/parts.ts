/** Small parts of pages of merge requests: addresses, states, branches. */
import type { LocatedProject } from '../../../access/find.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { type Html, html } from '../../frame/html.ts'
import { icon } from '../../frame/parts.ts'
import { addressAt } from '../../project/address.ts'

export { requestAddress, requestsAddress } from '../../project/request-address.ts'

type Named = Pick<LocatedProject, 'full_path'>

const states: Record<MergeRequest['state'], readonly [words: string, icon: string]> = {
  opened: ['Open', 'merge'],
  closed: ['Closed', 'cross'],
  locked: ['Merging', 'clock'],
  merged: ['Merged', 'check'],
}

export function stateWords({ state }: Pick<MergeRequest, 'state'>): string {
  return states[state][0]
}

export function stateIcon({ state }: Pick<MergeRequest, 'state'>): Html {
  const [words, picture] = states[state]
  return html`<span class="${`issue-icon ${state}`}" title="${words}">${icon(picture)}<span class="unseen">${words}</span></span>`
}

export function stateTag({ state }: Pick<MergeRequest, 'state'>): Html {
  const [words, picture] = states[state]
  return html`<span class="tag state ${state}">${icon(picture)} ${words}</span>`
}

export const draftTag = html`<span class="tag draft">Draft</span>`

/** A branch, as a link to its files where the viewer can go there; `project` names another one than that of the page. */
export function branchTag(name: string, { project, prefix = '' }: { project: Named | null; prefix?: string }): Html {
  const words = html`<code><bdi>${prefix}${name}</bdi></code>`
  return project === null
    ? html`<span class="ref">${words}</span>`
    : html`<a class="ref" href="${addressAt(project.full_path, 'tree', name)}">${words}</a>`
}
