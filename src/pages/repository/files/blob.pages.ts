/** A file of a revision. */
import { addressAt } from '../../../addresses/repository.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import { html } from '../../../html/html.ts'
import { project } from '../../../http/declare/rules.ts'
import { Off } from '../../../http/parameters/schema.ts'
import { page } from '../../frame/declaration.ts'
import { placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitLine } from '../history/commits.ts'
import { contentOf } from './blob-content.ts'
import { crumbsOf, refSwitcher, refSwitchScript } from './crumbs.ts'
import { deleteForm } from './delete.pages.ts'
import { entryAt, fileOf } from './found.ts'
import { missingView } from './missing.ts'
import { fileName } from './names.ts'
import { fileTools, mayChangeFiles, permalink } from './toolbar.ts'

export const blobPages = [
  page('GET /:project/blob/*', {
    access: project('code'),
    query: { plain: Off },
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
      const source = shown.isRendered
        ? html`<a href="${address}?plain=1">Source</a>`
        : sent.plain && html`<a href="${address}">Rendered</a>`
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: `${place.path} at ${shortRevision(place.revision)}`,
          main: html`
            <h1 class="unseen">${fileName(file.name)}</h1>
            <div class="place">
              ${crumbsOf(project, place, await refSwitcher(repo, project, place, 'blob'))}
              ${fileTools(project, place, { isText: shown.isText, isChangeable, page: 'blob' })}
            </div>
            ${last !== null && (await commitLine(app, { project, user }, await readCommit(repo, last)))}
            <section class="file" aria-label="${file.name}">
              <header>
                <span>${fileName(file.name)}</span>
                <span class="hint">${shown.facts}${file.mode === '100755' && ', executable'}</span>${
                  source !== false && html`<span class="end">${source}</span>`
                }
              </header>
              ${shown.content}
            </section>
            ${isChangeable && (await deleteForm({ app, repo, token, user, project, level, place, last }))}
          `,
          head: permalink(project, 'blob', place),
          scripts: ['lines.js', refSwitchScript],
        },
      )
    },
  }),
]
