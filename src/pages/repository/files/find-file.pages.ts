/** Finds a file by letters of its path: a search, and the list for the finder in the browser. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { listFiles } from '../../../git/objects/file-list.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState } from '../../frame/parts.ts'
import { placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { crumbsOf, refSwitcher, refSwitchScript } from './crumbs.ts'
import { fileName } from './names.ts'
import { sentences } from './sentences.ts'

const maxShown = 1_000

export const findFilePages = [
  page('GET /:project/find_file/*', {
    access: project('code'),
    query: { query: Type.String({ default: '', maxLength: 500 }) },
    async show({ project, level, user, repo, params, sent }) {
      const { revision, commit } = await placeAt(repo, params['*'])
      const place = { revision, commit, path: '' }
      const wanted = sent.query.trim()
      const found = await listFiles(repo, commit, { query: wanted, limit: maxShown + 1 })
      const shown = found.slice(0, maxShown)
      const address = addressAt(project.full_path, 'find_file', revision)
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: t`Find file at ${shortRevision(revision)}`,
          main: html`
            <h1>Find file</h1>
            <div class="place">${crumbsOf(project, place, await refSwitcher(repo, project, place, 'find_file'))}</div>
            <file-finder
              data-list="${addressAt(project.full_path, 'files', commit)}"
              data-blob="${addressAt(project.full_path, 'blob', revision)}"
            >
              <form class="filters" role="search" action="${address}">
                <label for="query">Path</label>
                <input
                  id="query"
                  name="query"
                  type="search"
                  value="${wanted}"
                  autofocus
                  autocomplete="off"
                  spellcheck="false"
                  aria-describedby="query-hint"
                >
                <button>Find</button>
              </form>
              <p class="hint" id="query-hint">${sentences.find_hint}</p>
              ${shown.length === 0 ? emptyState(wanted === '' ? sentences.empty_folder : sentences.nothing_found(wanted)) : null}
              <ul class="rows found">
                ${shown.map(
                  (path) => html`<li><a href="${addressAt(project.full_path, 'blob', revision, path)}">${fileName(path)}</a></li>`,
                )}
              </ul>
              ${found.length > maxShown && html`<p class="hint">${sentences.too_many_files}</p>`}</file-finder>
          `,
          scripts: ['find-file.js', refSwitchScript],
        },
      )
    },
  }),
  page('GET /:project/files/*', {
    access: project('code'),
    async show({ repo, params }) {
      const { commit } = await placeAt(repo, params['*'])
      return {
        bytes: {
          etag: `"files-${commit}"`,
          describe: () => ({ type: 'application/json' }),
          open: async () => Buffer.from(JSON.stringify(await listFiles(repo, commit, { query: '', limit: 200_000 }))),
        },
      }
    },
  }),
]
