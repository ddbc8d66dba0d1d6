/** Where in a repository a page is: the revision, and each folder above. */
import type { LocatedProject } from '../../../access/find.ts'
import { type Html, html } from '../../frame/html.ts'
import { addressAt, type Place } from '../../project/address.ts'

export function crumbsOf({ full_path, path: name }: LocatedProject, { revision, path }: Place): Html {
  const parts = path === '' ? [] : path.split('/')
  const above = parts.slice(0, -1).map((part, index) => {
    const address = addressAt(full_path, 'tree', revision, parts.slice(0, index + 1).join('/'))
    return html`<li><a href="${address}">${part}</a></li>`
  })
  return html`<nav class="crumbs" aria-label="Path"><span class="tag ref">${revision}</span><ol>
<li>${parts.length === 0 ? html`<b>${name}</b>` : html`<a href="${addressAt(full_path, 'tree', revision)}">${name}</a>`}</li>
${above}${parts.length > 0 && html`<li><b>${parts.at(-1) ?? ''}</b></li>`}</ol></nav>`
}
