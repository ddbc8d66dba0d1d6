/** The files of a revision. */

import { addressAt } from '../../../addresses/repository.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { findEntry, readCommit } from '../../../git/objects/read.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitLine } from '../history/commits.ts'
import { codeFacts, crumbsOf, refSwitcher, refSwitchScript } from './crumbs.ts'
import { folderParts } from './folder-parts.ts'
import { missingView } from './missing.ts'
import { fileName } from './names.ts'
import { folderTools, mayChangeFiles, permalink } from './toolbar.ts'
import { folderAt, perPage } from './tree.ts'

export const treePages = [
  page('GET /:project/tree/*', {
    access: project('code'),
    query: pageNumber,
    async show({ app, ip, project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const { tree } = await readCommit(repo, place.commit)
      const entry = place.path === '' ? null : await findEntry(repo, tree, place.path)
      if (entry?.type === 'blob') return { redirect: addressAt(project.full_path, 'blob', place.revision, place.path), status: 302 }
      if (entry === null && place.path !== '') return missingView({ project, level, user }, repo, place, 'tree')
      const folder = await folderAt(repo, place, sent.page)
      // The last commit of the root is the commit itself.
      const last = place.path === '' ? place.commit : await lastCommitOf(repo, place.commit, place.path)
      const address = addressAt(project.full_path, 'tree', place.revision, place.path)
      const title = place.path === '' ? t`Files` : place.path
      const isChangeable = await mayChangeFiles(app, { project, level, user }, place)
      const head = html`
        <h1 class="unseen">${fileName(title)}</h1>
        <div class="place">
          ${crumbsOf(project, place, await refSwitcher(repo, project, place, 'tree'))}
          ${place.path === '' && (await codeFacts(repo, project, place))}
          ${folderTools(app, project, place, isChangeable)}
        </div>
        ${last !== null && (await commitLine(app, { project, user }, await readCommit(repo, last)))}
      `
      const pages = pagesBelow(address, { page: sent.page, per_page: perPage, total: folder.total })
      const reader = { project, level, user, ip }
      async function* parts(): AsyncGenerator<Html> {
        yield head
        yield* folderParts(app, { project, repo, place, reader, rows: folder.rows, below: pages })
      }
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: t`${title} at ${shortRevision(place.revision)}`,
          main: parts(),
          head: permalink(project, 'tree', place),
          scripts: [refSwitchScript],
        },
      )
    },
  }),
]
