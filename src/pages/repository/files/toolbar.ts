/** The toolbar above a folder or a file. */

import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { httpCloneUrl, sshCloneUrl } from '../../../addresses/links.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { branchesOpenTo } from '../../../features/repository/pushes/pushes.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { copyable, icon } from '../../frame/parts.ts'
import type { Place } from '../../project/address.ts'

interface Seen {
  project: LocatedProject
  level: number
  user: User | null
}

/**
 * Whether the viewer can commit; must match the access rules of the actions. Users below developer can if an open merge request lets them
 * push to the branch of the page. No statement for visitors and developers, at least two for others.
 */
export async function mayChangeFiles(app: App, { project, level, user }: Seen, { revision }: Pick<Place, 'revision'>): Promise<boolean> {
  if (project.archived || user === null) return false
  return may('push_code', level) || (await branchesOpenTo(app, { project, level, user }, revision)).has(revision)
}

export function folderTools(
  { config }: Pick<App, 'config'>,
  { full_path, path: name }: LocatedProject,
  { revision, path }: Place,
  isChangeable: boolean,
): Html {
  const at = (page: string) => addressAt(full_path, page, revision, path)
  const archive = (ending: string) => `${addressAt(full_path, '-/archive', revision)}/${encodeURIComponent(`${name}.${ending}`)}`
  return html`
    <ul class="tools">
      <li><a href="${addressAt(full_path, 'find_file', revision)}" data-key="t">Go to file</a></li>
      <li><a href="${at('commits')}" data-key="h">History</a></li>
      ${
        isChangeable &&
        html`
          <li>
            <details class="menu">
              <summary>${icon('plus')}<span class="unseen">Add a file</span></summary>
              <ul>
                <li><a href="${at('new')}">New file</a></li>
                <li><a href="${at('create')}">Upload a file</a></li>
                <li><a href="${at('create_dir')}">New folder</a></li>
              </ul>
            </details>
          </li>
        `
      }
      <li>
        <details class="menu">
          <summary class="primary">Clone</summary>
          <div class="popup clone">
            ${cloneAddresses(config, full_path).map(
              ([label, address]) => html`
                <p>${label}</p>
                ${copyable(t`Address for ${label}`, address)}
              `,
            )}
            <p>
              Download
              <a href="${archive('zip')}" download>zip</a>
              <a href="${archive('tar.gz')}" download>tar.gz</a>
            </p>
          </div>
        </details>
      </li>
    </ul>
  `
}

/** The URLs to clone from. HTTP comes first, as SSH needs a key. */
export function cloneAddresses(config: App['config'], full_path: string): Array<readonly [label: string, address: string]> {
  const http = ['HTTP', httpCloneUrl(config, full_path)] as const
  return config.ssh_port === null ? [http] : [http, ['SSH', sshCloneUrl(config, full_path)]]
}

/** Links from a file or its blame to related pages. */
export function fileTools({ full_path }: LocatedProject, { revision, path }: Place, page: 'blob' | 'blame', isText: boolean): Html {
  const link = (name: string, label: string, key: string) =>
    html`<li><a href="${addressAt(full_path, name, revision, path)}" data-key="${key}">${label}</a></li>`
  return html`
    <ul class="tools">
      <li><a href="${addressAt(full_path, 'find_file', revision)}" data-key="t">Go to file</a></li>
      ${page === 'blame' ? link('blob', t`File`, 'b') : isText && link('blame', t`Blame`, 'b')}
      ${link('commits', t`History`, 'h')}
    </ul>
  `
}

/** Actions on the file itself, in its header. They are shown to everyone: the page that edits leads users who can't push to a fork. */
export function fileActions(
  { full_path, archived }: LocatedProject,
  { revision, commit, path }: Place,
  { isText, page }: { isText: boolean; page: 'blob' | 'blame' },
): Html {
  const raw = addressAt(full_path, 'raw', revision, path)
  return html`
    <ul class="tools end">
      ${isText && html`<li><copy-file data-raw="${raw}"></copy-file></li>`}
      <li><a href="${raw}">Raw</a></li>
      <li><a href="${raw}?inline=false" download>Download</a></li>
      <li><a href="${addressAt(full_path, page, commit, path)}" rel="bookmark">Permalink</a></li>
      ${isText && !archived && html`<li><a href="${addressAt(full_path, 'edit', revision, path)}" data-key="e">Edit</a></li>`}
    </ul>
  `
}

/** For the key `y`, and for permanent links: the same page at its commit, which never changes. */
export function permalink({ full_path }: LocatedProject, page: string, { commit, path }: Place): Html {
  return html`<link rel="canonical" href="${addressAt(full_path, page, commit, path)}">`
}
