/** A file of a revision. */

import { findProject } from '../../../access/find.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import { Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { Off } from '../../../http/parameters/schema.ts'
import { page } from '../../frame/declaration.ts'
import { placeAt } from '../../project/address.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { pushOffer } from '../../project/push-offer.ts'
import { commitLine } from '../history/commits.ts'
import { contentOf } from './blob-content.ts'
import { crumbsOf, refSwitcher, refSwitchScript } from './crumbs.ts'
import { deleteForm } from './delete.pages.ts'
import { entryAt, fileOf } from './found.ts'
import { missingView } from './missing.ts'
import { fileName } from './names.ts'
import { ownersOfFile } from './owners.ts'
import type { CodeSymbol } from './symbols.ts'
import { fileActions, fileTools, mayChangeFiles, permalink } from './toolbar.ts'

export const blobPages = [
  page('GET /:project/blob/*', {
    access: project('code'),
    query: { plain: Off, committed: Off },
    async show({ app, ip, token, project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const entry = await entryAt(repo, place)
      if (entry?.type === 'tree' || place.path === '') {
        return { redirect: addressAt(project.full_path, 'tree', place.revision, place.path), status: 302 }
      }
      if (entry === null) return missingView({ project, level, user }, repo, place, 'blob')
      const file = await fileOf(repo, entry)
      const last = await lastCommitOf(repo, place.commit, place.path)
      const reader = { project, level, user, ip }
      const shown = await contentOf(app, { project, repo, place, file, plain: sent.plain, reader })
      const address = addressAt(project.full_path, 'blob', place.revision, place.path)
      const isChangeable = await mayChangeFiles(app, reader, place)
      const offers = sent.committed ? await offersOf(app, { project, level, user }) : null
      const source = shown.isRendered
        ? html`<a href="${address}?plain=1">Source</a>`
        : sent.plain && html`<a href="${address}">Rendered</a>`
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: t`${place.path} at ${shortRevision(place.revision)}`,
          main: html`
            <h1 class="unseen">${fileName(file.name)}</h1>
            <div class="place">
              ${crumbsOf(project, place, await refSwitcher(repo, project, place, 'blob'))}
              ${fileTools(project, place, 'blob', shown.isText)}
            </div>
            ${offers}
            ${last !== null && (await commitLine(app, { project, user }, await readCommit(repo, last)))}
            <div class="beside-tree">
              <file-tree
                role="navigation"
                aria-label="Files"
                data-entries="${addressAt(project.full_path, 'tree_entries', place.revision)}"
                data-path="${place.path}"
              ></file-tree>
              <div>
                ${await ownersOfFile(repo, place)}
                <section class="file" aria-label="${file.name}">
                  <header>
                    <span>${fileName(file.name)}</span>
                    <span class="hint">${shown.facts}${file.mode === '100755' && t`, executable`}</span>
                    ${symbolMenu(shown.symbols)}${source !== false && html`<span>${source}</span>`}
                    ${fileActions(project, place, { isText: shown.isText, page: 'blob' })}
                  </header>
                  ${shown.content}
                </section>
                ${isChangeable && (await deleteForm({ app, repo, token, user, project, level, place, last }))}
              </div>
            </div>
          `,
          head: permalink(project, 'blob', place),
          isWide: true,
          scripts: ['lines.js', 'file-tree.js', refSwitchScript],
        },
      )
    },
  }),
]

/** A menu of the file's declarations; null if it has none, or its grammar doesn't mark them. */
function symbolMenu(symbols: readonly CodeSymbol[]): Html | null {
  if (symbols.length === 0) return null
  return html`
    <details class="menu symbols">
      <summary>${count(symbols.length, 'symbol')}</summary>
      <ul>
        ${symbols.map(
          ({ name, line, kind }) => html`<li><a href="#L${line}"><code>${new Html(name)}</code> <span class="hint">${kind}</span></a></li>`,
        )}
      </ul>
    </details>
  `
}

/** Offers to propose a branch that was committed to here a moment ago: to this project, and to the source of a fork. */
async function offersOf(app: App, seen: Seen): Promise<Html | null> {
  const { user, project } = seen
  const source =
    project.forked_from_id === null ? null : await findProject(app.db, String(project.forked_from_id), user).catch(nullIfMissing)
  return (source && (await pushOffer(app, { ...source, user }))) ?? pushOffer(app, seen)
}
