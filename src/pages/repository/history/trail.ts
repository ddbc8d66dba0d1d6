/** The place of a history: the revision, and each folder above the path, which link to their own histories. */
import type { LocatedProject } from '../../../access/find.ts'
import { addressAt } from '../../../addresses/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { isolated } from '../../frame/parts.ts'
import { foldersAbove, type Place } from '../../project/address.ts'

export function trailOf({ full_path, path: name }: LocatedProject, { revision, path }: Place): Html {
  const parts = path === '' ? [] : path.split('/')
  const folders = path === '' ? [] : [{ name, path: '' }, ...foldersAbove(path)]
  const above = folders.map(
    (folder) => html`<li><a href="${addressAt(full_path, 'commits', revision, folder.path)}">${isolated(folder.name)}</a></li>`,
  )
  return html`
    <nav class="crumbs" aria-label="Path">
      <span class="tag ref">${isolated(revision)}</span>
      <ol>${above}<li><b>${isolated(parts.at(-1) ?? name)}</b></li></ol>
    </nav>
  `
}
