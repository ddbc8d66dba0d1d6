/** The history of a revision or of a path in it. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { historyPage, searchHistory } from '../../../git/history/history-page.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { page } from '../../frame/declaration.ts'
import { field, untouched } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type Place, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitsByDay, factsOf } from './commits.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { sentences } from './sentences.ts'
import { trailOf } from './trail.ts'

const perPage = 40

const query = {
  /** Part of the message. */
  search: Type.String({ default: '', maxLength: 255 }),
  /** Part of the author's name or address. */
  author: Type.String({ default: '', maxLength: 255 }),
  /** The cursor of the page (`cursor.ts`). */
  after: Type.String({ default: '', maxLength: 8_000 }),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
}

interface Sent {
  search: string
  author: string
  after: string
  page: number
}

export const commitsPages = [
  page('GET /:project/commits', {
    access: project('code'),
    show({ project, level, user }) {
      if (project.default_branch !== null)
        return { redirect: addressAt(project.full_path, 'commits', branchRevision(project.default_branch)), status: 302 }
      const main = html`<h1>Commits</h1>${emptyState(sentences.noCommits)}`
      return projectView({ project, level, user, tab: 'commits' }, { title: t`Commits`, main })
    },
  }),
  page('GET /:project/commits/*', {
    access: project('code'),
    query,
    async show({ app, project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const { revision, path } = place
      const address = addressAt(project.full_path, 'commits', revision, path)
      const { commits, older } = await pageOf(repo, place, sent)
      const facts = await factsOf(app, { project, user, repo }, commits)
      const what = path === '' ? t`Commits` : t`History of ${path}`
      const isFiltered = sent.search !== '' || sent.author !== ''
      const none = isFiltered ? sentences.noneFound : sentences.unchanged
      return projectView(
        { project, level, user, tab: 'commits' },
        {
          title: t`${what} at ${revision}`,
          head: feedLink(t`Commits`, `${address}.atom`, user),
          main: html`
            <h1>${path === '' ? what : html`History of ${isolated(path)}`}</h1>
            <div class="history-head">${trailOf(project, place)}${searchForm(address, sent)}</div>
            ${
              commits.length === 0
                ? emptyState(none, isFiltered && html`<p><a href="${address}">All commits</a></p>`)
                : commitsByDay(app, project, commits, facts)
            }
            ${pagesBelow(address, sent, older)}
          `,
        },
      )
    },
  }),
]

interface Older {
  after: string
  page: number
}

/** A search walks the history from its start; otherwise a page starts where the last one ended, so all pages cost the same. */
async function pageOf(repo: Repo, { commit, path }: Place, sent: Sent): Promise<{ commits: Commit[]; older: Older | null }> {
  const { search, author, after, page } = sent
  const next = page + 1
  if (search !== '' || author !== '' || (after === '' && page > 1)) {
    const found = await searchHistory(repo, { from: commit, path, search, author }, { limit: perPage, offset: (page - 1) * perPage })
    return { commits: found.commits, older: found.more ? { after: '', page: next } : null }
  }
  const from = after === '' ? [commit] : await readCursor(repo, after, commit.length)
  const found = await historyPage(repo, from, path, perPage)
  const more = found.commits.length === perPage && found.next.length > 0
  return { commits: found.commits, older: more ? { after: writeCursor(found.next) ?? '', page: next } : null }
}

function searchForm(address: string, { search, author }: Sent): Html {
  const typed = { ...untouched, values: { search, author } }
  return html`<form class="filters" role="search" action="${address}">${field(t`Message`, 'search', typed, { type: 'search' })}${field(
    t`Author`,
    'author',
    typed,
    { type: 'search' },
  )}<button>Search</button></form>`
}

function pagesBelow(address: string, { search, author, page }: Sent, older: Older | null): Html | null {
  if (page === 1 && older === null) return null
  const filters = Object.entries({ search, author }).filter(([, value]) => value !== '')
  const link = (more: Record<string, string>) => {
    const text = new URLSearchParams([...filters, ...Object.entries(more)]).toString()
    return text === '' ? address : `${address}?${text}`
  }
  const next = older && link({ ...(older.after !== '' && { after: older.after }), page: String(older.page) })
  return html`
    <nav class="pages" aria-label="Pages">
      ${page > 1 && html`<a href="${link({})}">Newest</a>`}
      <span>Page ${page}</span>${next !== null && html`<a rel="next" href="${next}">Older</a>`}
    </nav>
  `
}
