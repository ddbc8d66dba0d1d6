/** The branches and the tags of a project. */
import { Type } from 'typebox'

import { pageOfRefs, type Ref } from '../../../git/refs/refs.ts'
import { pageFrom } from '../../../http/page.ts'
import { type ProjectGranted, project } from '../../../http/rules.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { page, type View } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { ago, count } from '../../frame/phrases.ts'
import { addressAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitAddress, shortId } from '../history/commits.ts'

const query = { ...pageNumber, search: Type.Optional(Type.String()) }
const perPage = 40

export const refsPages = [
  page('GET /:project/branches', {
    access: project('code'),
    query,
    show: ({ sent, ...granted }) => listOf('branches', granted, sent),
  }),
  page('GET /:project/tags', { access: project('code'), query, show: ({ sent, ...granted }) => listOf('tags', granted, sent) }),
]

const words = {
  branches: { kind: 'heads', title: 'Branches', one: 'branch', many: 'branches' },
  tags: { kind: 'tags', title: 'Tags', one: 'tag', many: 'tags' },
} as const

async function listOf(
  tab: 'branches' | 'tags',
  { project, level, user, repo }: ProjectGranted,
  { page, search = '' }: { page: number; search?: string | undefined },
): Promise<View> {
  const { kind, title, one, many } = words[tab]
  const { rows, total } = await pageOfRefs(repo, kind, { order_by: 'updated', sort: 'desc', search }, pageFrom({ page, per_page: perPage }))
  const address = `/${project.full_path}/${tab}`
  const rowOf = ({
    name,
    commit,
    committed_at,
  }: Ref) => html`<li><div class="what"><a href="${addressAt(project.full_path, 'tree', name)}">${name}</a>
${tab === 'branches' && name === project.default_branch && html`<span class="tag">default</span>`}</div><div class="facts">${
    commit !== null &&
    html`<a href="${commitAddress(project, commit)}"><code>${shortId(commit)}</code></a>${ago(new Date(committed_at * 1000).toISOString())}`
  }</div></li>`
  return projectView(
    { project, level, user, tab },
    {
      title,
      ...(tab === 'tags' && { head: feedLink('Tags', `/${project.full_path}/tags.atom`, user) }),
      main: html`<h1>${title} <span class="hint">${count(total, one, many)}</span></h1>
<form class="filters" role="search" action="${address}"><label for="search">Find by name</label>
<input id="search" name="search" type="search" value="${search}"><button>Find</button></form>
${total === 0 ? html`<p class="empty">There are no ${many} here.</p>` : html`<ul class="rows">${rows.map(rowOf)}</ul>`}
${pagesBelow(search === '' ? address : `${address}?search=${encodeURIComponent(search)}`, { page, per_page: perPage, total })}`,
    },
  )
}
