/** Small parts of merge request pages: URLs, states, branches. */
import type { LocatedProject } from '../../../access/find.ts'
import { addressAt } from '../../../addresses/repository.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { type Html, html } from '../../../html/html.ts'

export { mergeRequestAddress, mergeRequestsAddress } from '../../../addresses/merge-requests.ts'
export { stateIcon, stateTag, stateWords } from '../../project/merge-request-state.ts'

type Named = Pick<LocatedProject, 'full_path'>

export const draftTag = () => html`<span class="tag draft">Draft</span>`

/** A branch, as a link to its files if the viewer can open them; `project` if it isn't in the project of the page. */
export function branchTag(name: string, { project, prefix = '' }: { project: Named | null; prefix?: string }): Html {
  const words = html`<code><bdi>${prefix}${name}</bdi></code>`
  return project === null
    ? html`<span class="ref">${words}</span>`
    : html`<a class="ref" href="${addressAt(project.full_path, 'tree', branchRevision(name))}">${words}</a>`
}
