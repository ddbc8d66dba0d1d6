/** The history of a revision or of a path in it. */
import { listCommits } from '../../../git/history/history.ts'
import { pageFrom } from '../../../http/page.ts'
import { project } from '../../../http/rules.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { addressAt, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitRows } from './commits.ts'
import { trailOf } from './trail.ts'

const perPage = 40

export const commitsPages = [
  page('GET /:project/commits/*', {
    access: project('code'),
    query: pageNumber,
    async show({ project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const { revision, commit, path } = place
      const { rows, total } = await listCommits(repo, { from: commit, path }, pageFrom({ page: sent.page, per_page: perPage }))
      const address = addressAt(project.full_path, 'commits', revision, path)
      const what = path === '' ? 'Commits' : `History of ${path}`
      return projectView(
        { project, level, user, tab: 'commits' },
        {
          title: `${what} at ${revision}`,
          head: feedLink('Commits', `${address}.atom`, user),
          main: html`<h1>${what}</h1>${trailOf(project, place)}
${total === 0 ? html`<p class="empty">No commit has changed this.</p>` : commitRows(project, rows)}
${pagesBelow(address, { page: sent.page, per_page: perPage, total })}`,
        },
      )
    },
  }),
]
