/** A folder as a table: names, and the last commit of each entry. */

import type { LocatedProject } from '../../../access/find.ts'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import { notFound } from '../../../failure.ts'
import { lastCommitsOf } from '../../../git/history/last-commits.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { type ListedEntry, listTree } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { emptyState, icon, late } from '../../frame/parts.ts'
import type { Place } from '../../project/address.ts'
import { shortId } from '../history/commits.ts'
import { fileName, folderOf } from './names.ts'
import { sentences } from './sentences.ts'

/** Up to this many, users can find a name with the search of the browser; beyond it, there are pages. */
export const perPage = 1_000

/** The entries of the folder at a place. Throws 404 if it isn't a folder. */
export async function folderAt(repo: Repo, { commit, path }: Place, page = 1): Promise<{ rows: ListedEntry[]; total: number }> {
  const found = await listTree(repo, { commit, path, recursive: false }, { limit: perPage, offset: (page - 1) * perPage })
  if (!found) throw notFound('Folder')
  return found
}

/** The last commit of each entry, by name. */
export type LastChanges = ReadonlyMap<string, Commit>

/** In large histories the walk takes long: entries it hasn't reached by then are left out. */
const deadline_ms = 3_000

/** The last commit of each entry: one process unless it is cached, and the reader of objects. */
export async function lastChangesOf(repo: Repo, { commit, path }: Place, rows: readonly ListedEntry[]): Promise<LastChanges> {
  const { commits } = await lastCommitsOf(repo, { commit, path, names: rows.map(({ name }) => name) }, deadline_ms)
  const read = await readCommits(repo, [...new Set(commits.values())])
  const byId = new Map(read.map((found) => [found.oid, found]))
  return new Map([...commits].flatMap(([name, oid]) => (byId.has(oid) ? [[name, byId.get(oid) as Commit]] : [])))
}

/** Addresses of submodules, by their paths. */
type Submodules = ReadonlyMap<string, string>

const pictures = { tree: 'folder', blob: 'file', commit: 'fork' } as const

/** Without `changes`, the cells wait for `lateChanges`. */
export function folderTable(
  project: LocatedProject,
  place: Place,
  { rows, changes = null, submodules }: { rows: readonly ListedEntry[]; changes?: LastChanges | null; submodules?: Submodules },
): Html {
  const { full_path } = project
  const { revision, path } = place
  if (rows.length === 0 && path === '') return emptyState(sentences.empty_folder)
  const up = html`
    <tr>
      <td colspan="3">
        <a href="${addressAt(full_path, 'tree', revision, folderOf(path))}" aria-label="Parent folder">..</a>
      </td>
    </tr>
  `
  return html`
    <table class="files">
      <caption class="unseen">${path === '' ? t`Files` : html`Files in ${fileName(path)}`}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last commit</th>
          <th scope="col">Changed</th>
        </tr>
      </thead>
      <tbody>
        ${path !== '' && up}
        ${rows.map((entry, index) => {
          const change = changes?.get(entry.name)
          return html`
            <tr>
              <td class="${entry.type}">${icon(pictures[entry.type])} ${linkOf(full_path, revision, entry, submodules)}</td>
              <td id="change-${index}">${change ? titleLink(project, change) : null}</td>
              <td id="age-${index}">${change ? ago(change.committer.date) : null}</td>
            </tr>
          `
        })}
      </tbody>
    </table>
  `
}

/** The cells of a table that has been sent already. */
export function lateChanges(project: LocatedProject, rows: readonly ListedEntry[], changes: LastChanges): Html {
  return html`${rows.map((entry, index) => {
    const change = changes.get(entry.name)
    return change ? html`${late(`change-${index}`, titleLink(project, change))}${late(`age-${index}`, ago(change.committer.date))}` : null
  })}`
}

function titleLink(project: LocatedProject, { oid, message }: Commit): Html {
  return html`<a href="${commitAddress(project, oid)}">${fileName(titleOf(message) || shortId(oid))}</a>`
}

/** A submodule is another repository: its link leads to the tree of its commit there. */
function linkOf(projectPath: string, revision: string, { type, name, path, oid, mode }: ListedEntry, submodules?: Submodules): Html {
  if (type === 'commit') {
    const elsewhere = submodules?.get(path)
    const shown = elsewhere === undefined ? fileName(name) : html`<a href="${elsewhere}" rel="nofollow noreferrer">${fileName(name)}</a>`
    return html`${shown} <span class="hint" title="${sentences.submodule}">@ ${oid.slice(0, 8)}</span>`
  }
  const address = addressAt(projectPath, type === 'tree' ? 'tree' : 'blob', revision, path)
  return html`
    <a href="${address}">${fileName(name)}${type === 'tree' && '/'}</a>${mode === '120000' && html` <span class="hint">link</span>`}
  `
}
