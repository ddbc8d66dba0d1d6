/** The place of a page in a repository: the menu of revisions, and each folder above. */

import type { LocatedProject } from '../../../access/find.ts'
import { addressAt, tagsAddress } from '../../../addresses/repository.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { grouped } from '../../../html/numbers-and-dates.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { foldersAbove, type Place } from '../../project/address.ts'
import { fileName } from './names.ts'
import { type ListedRef, refsFound } from './refs-found.ts'

/** Pages that keep their path when the revision is changed. */
export type FilesPage = 'tree' | 'blob' | 'blame' | 'find_file'

export function crumbsOf(project: LocatedProject, place: Place, switcher: Html | null = null): Html {
  const { full_path, path: name } = project
  const { revision, path } = place
  const parts = path === '' ? [] : path.split('/')
  const above = foldersAbove(path).map(
    (folder) => html`<li><a href="${addressAt(full_path, 'tree', revision, folder.path)}">${fileName(folder.name)}</a></li>`,
  )
  return html`
    <nav class="crumbs" aria-label="Path">
      ${switcher ?? html`<span class="tag ref">${isolated(shortRevision(revision))}</span>`}
      <ol>
        <li>
          ${parts.length === 0 ? html`<b>${name}</b>` : html`<a href="${addressAt(full_path, 'tree', revision)}">${name}</a>`}
        </li>
        ${above}
        ${parts.length > 0 && html`<li><b>${fileName(parts.at(-1) ?? '')}</b></li>`}
      </ol>
    </nav>
  `
}

const maxRecent = 10

/** For `scripts` of a view with a `refSwitcher`. */
export const refSwitchScript = 'ref-switch.js'

/** Opens the latest branches and tags, and a field that finds others. One process if a ref has moved, otherwise none. */
export async function refSwitcher(repo: Repo, { full_path }: LocatedProject, { revision, path }: Place, page: FilesPage): Promise<Html> {
  const { branches, tags } = await refsFound(repo, { full_path, page, path, search: '', limit: maxRecent })
  const shown = shortRevision(revision)
  const isId = /^[0-9a-f]{40,64}$/.test(revision)
  const isTag = tags.rows.some(({ name }) => name === shown) && !branches.rows.some(({ name }) => name === shown)
  return html`
    <details class="menu ref-switch">
      <summary class="ref" aria-label="Revision ${shown}">${isolated(isId ? shown.slice(0, 12) : shown)}</summary>
      <ref-switch class="popup" data-source="/${full_path}/refs/names">
        <form role="search" action="/${full_path}/refs/switch">
          <input type="hidden" name="page" value="${page}"><input type="hidden" name="path" value="${path}">
          <label class="unseen" for="ref-search">Branch, tag or commit</label>
          <input id="ref-search" name="ref" type="search" autocomplete="off" spellcheck="false" placeholder="Branch, tag or commit">
          <button>Go</button>
        </form>
        <fieldset class="kinds">
          <legend class="unseen">Show</legend>
          ${kindOf('branches', t`Branches`, branches.total, !isTag)}${kindOf('tags', t`Tags`, tags.total, isTag)}
        </fieldset>
        ${listOf('branches', branches.rows, shown)}${listOf('tags', tags.rows, shown)}
      </ref-switch>
    </details>
  `
}

/** The numbers of commits, branches and tags, each a link to its list. No process if the refs are cached. */
export async function codeFacts(repo: Repo, project: LocatedProject, { revision }: Place): Promise<Html> {
  const { full_path, default_branch, commit_count } = project
  const { branches, tags } = await refsFound(repo, { full_path, page: 'tree', path: '', search: '', limit: 1 })
  const isDefault = default_branch !== null && shortRevision(revision) === default_branch
  return html`
    <ul class="code-facts">
      <li>
        <a href="${addressAt(full_path, 'commits', revision)}">
          ${icon('commit')} ${isDefault && commit_count > 0 ? count(commit_count, 'commit') : t`Commits`}
        </a>
      </li>
      <li><a href="/${full_path}/branches">${icon('branch')} ${count(branches.total, 'branch', 'branches')}</a></li>
      <li><a href="${tagsAddress(project)}">${icon('tag')} ${count(tags.total, 'tag')}</a></li>
    </ul>
  `
}

/** Shows one of two lists; without scripts, too. */
function kindOf(kind: 'branches' | 'tags', label: string, total: number, isChosen: boolean): Html {
  return html`
    <label for="ref-${kind}">
      <input type="radio" name="ref-kind" id="ref-${kind}"${isChosen && html` checked`}>
      ${label} <span class="count">${grouped(total)}</span>
    </label>
  `
}

function listOf(kind: 'branches' | 'tags', rows: readonly ListedRef[], shown: string): Html {
  const links = rows.map(
    ({ name, address }) => html`<li><a href="${address}"${name === shown && html` aria-current="true"`}>${isolated(name)}</a></li>`,
  )
  return html`<ul class="${kind}-found" data-kind="${kind}" aria-label="${kind === 'tags' ? t`Tags` : t`Branches`}">${links}</ul>`
}
