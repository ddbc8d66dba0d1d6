/** Where in a repository a page is: the revision, to be changed, and each folder above. */
import type { LocatedProject } from '../../../access/find.ts'
import { branchRevision, shortRevision } from '../../../git/refs/names.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { isolated } from '../../frame/parts.ts'
import { addressAt, foldersAbove, type Place } from '../../project/address.ts'
import { fileName } from './names.ts'

/** The pages that a revision can be changed on. */
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

/** Opens to the latest branches and a search for all refs. One process when a branch has moved, otherwise none. */
export async function refSwitcher(repo: Repo, { full_path }: LocatedProject, { revision, path }: Place, page: FilesPage): Promise<Html> {
  const { rows } = await pageOfRefs(repo, 'heads', { order_by: 'updated', sort: 'desc' }, { limit: maxRecent, offset: 0 })
  const shown = shortRevision(revision)
  const isShort = /^[0-9a-f]{40,64}$/.test(revision)
  return html`
    <details class="menu ref-switch">
      <summary class="ref" aria-label="Revision ${shown}">${isolated(isShort ? shown.slice(0, 12) : shown)}</summary>
      <div>
        <form role="search" action="/${full_path}/refs/switch">
          <input type="hidden" name="page" value="${page}"><input type="hidden" name="path" value="${path}">
          <label for="ref-search">Branch, tag or commit</label><input id="ref-search" name="ref" type="search" autocomplete="off"><button>
            Go
          </button>
        </form>
        <ul>
          ${rows.map(
            ({ name }) =>
              html`
                <li>
                  <a
                    href="${addressAt(full_path, page, branchRevision(name), path)}"
                    ${name === shown && html` aria-current="true"`}
                  >${isolated(name)}</a>
                </li>
              `,
          )}
        </ul>
      </div>
    </details>
  `
}
