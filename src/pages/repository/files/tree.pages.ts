/** The files of a revision. */

import { lastCommitOf } from '../../../git/history/history.ts'
import { findEntry, readCommit } from '../../../git/objects/read.ts'
import { project } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { addressAt, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitLine } from '../history/commits.ts'
import { crumbsOf } from './crumbs.ts'
import { folderAt, folderTable, perPage } from './tree.ts'

export const treePages = [
  page('GET /:project/tree/*', {
    access: project('code'),
    query: pageNumber,
    async show({ project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const { tree } = await readCommit(repo, place.commit)
      const entry = place.path === '' ? null : await findEntry(repo, tree, place.path)
      if (entry?.type === 'blob') return { redirect: addressAt(project.full_path, 'blob', place.revision, place.path), status: 302 }
      const folder = await folderAt(repo, place, sent.page)
      // Of the root it is the commit itself.
      const last = place.path === '' ? place.commit : await lastCommitOf(repo, place.commit, place.path)
      const address = addressAt(project.full_path, 'tree', place.revision, place.path)
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: `${place.path === '' ? 'Files' : place.path} at ${place.revision}`,
          main: html`<h1 class="unseen">${place.path === '' ? 'Files' : place.path}</h1>${crumbsOf(project, place)}
${last !== null && commitLine(project, await readCommit(repo, last))}
${folderTable(project, place, folder)}${pagesBelow(address, { page: sent.page, per_page: perPage, total: folder.total })}`,
        },
      )
    },
  }),
]
