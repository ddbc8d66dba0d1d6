/** Small parts of pages of merge requests: addresses, states, branches. */
import type { LocatedProject } from '../../../access/find.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { type Html, html } from '../../frame/html.ts'
import { icon } from '../../frame/parts.ts'
import { addressAt } from '../../project/address.ts'

type Named = Pick<LocatedProject, 'full_path'>

export function requestsAddress({ full_path }: Named): string {
  return `/${full_path}/merge_requests`
}

export function requestAddress(project: Named, iid: number): string {
  return `${requestsAddress(project)}/${iid}`
}

/** Where somebody proposes to merge a branch: of this project or, by its id, of another. */
export function newRequestAddress(project: Named, source: { branch: string; project_id?: number }): string {
  const fields = new URLSearchParams({ 'merge_request[source_branch]': source.branch })
  if (source.project_id !== undefined) fields.set('merge_request[source_project_id]', String(source.project_id))
  return `${requestsAddress(project)}/new?${fields}`
}

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
