/** A folder as a table: names, and what changed each of them last. */
import type { LocatedProject } from '../../../access/find.ts'
import { notFound } from '../../../failure.ts'
import { type ListedEntry, listTree } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../frame/html.ts'
import { addressAt, type Place } from '../../project/address.ts'

/** The browser finds a name by its own search up to this many; beyond it, there are pages. */
export const perPage = 1_000

/** The entries of the folder at a place. Throws 404 where it is none. */
export async function folderAt(repo: Repo, { commit, path }: Place, page = 1): Promise<{ rows: ListedEntry[]; total: number }> {
  const found = await listTree(repo, { commit, path, recursive: false }, { limit: perPage, offset: (page - 1) * perPage })
  if (!found) throw notFound('Folder')
  return found
}

export function folderTable({ full_path }: LocatedProject, place: Place, { rows }: { rows: readonly ListedEntry[] }): Html {
  const { revision, path } = place
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const up = html`<tr><td><a href="${addressAt(full_path, 'tree', revision, parent)}" aria-label="Parent folder">..</a></td></tr>`
  return html`<table class="files"><caption class="unseen">${path === '' ? 'Files' : `Files in ${path}`}</caption>
<thead class="unseen"><tr><th scope="col">Name</th></tr></thead><tbody>${path !== '' && up}${rows.map(
    (entry) => html`<tr><td class="${entry.type}">${linkOf(full_path, revision, entry)}</td></tr>`,
  )}</tbody></table>`
}

/** A submodule is another repository: only its commit is known. */
function linkOf(projectPath: string, revision: string, { type, name, path, oid, mode }: ListedEntry): Html {
  if (type === 'commit') return html`${name} <span class="hint">@ ${oid.slice(0, 8)}</span>`
  const address = addressAt(projectPath, type === 'tree' ? 'tree' : 'blob', revision, path)
  return html`<a href="${address}">${name}${type === 'tree' && '/'}</a>${mode === '120000' && html` <span class="hint">link</span>`}`
}
