/** The page of a group: its tree, projects shared with it, and archived projects. */

import { findGroup } from '../../../access/find.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { groupsSharing } from '../../../features/spaces/group-shares/group-shares.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { html } from '../../../html/html.ts'
import { count, day } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { type GroupGranted, group } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { page, type View, type Visit } from '../../frame/declaration.ts'
import { roleName } from '../../frame/levels.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { groupView } from '../../group/group-view.ts'
import { listOf } from '../project-lists.ts'
import { headerOf } from './header.ts'
import { firstInGroup, nothingArchived, nothingHere, nothingShared, sharedWith } from './sentences.ts'
import { type TreeQuery, treeOf, treeQuery } from './tree.ts'

const perPage = 20

export const groupPages = [
  page('GET /groups/:group', { access: group('visible'), query: treeQuery, show: overview }),
  page('GET /:group', { access: group('visible'), query: treeQuery, show: overview }),
  page('GET /groups/:group/-/children', {
    access: group('visible'),
    query: { ...treeQuery, parent_id: Id },
    show: ({ sent: { parent_id, ...sent }, ...context }) => children(context, parent_id, sent),
  }),
  page('GET /groups/:group/-/shared', {
    access: group('visible'),
    query: pageNumber,
    show: ({ app, sent, ...seen }) => shared(app, seen, sent.page),
  }),
  page('GET /groups/:group/-/archived', {
    access: group('visible'),
    query: pageNumber,
    show: ({ app, sent, ...seen }) => archived(app, seen, sent.page),
  }),
]

async function overview({ app, ip, token, sent, ...seen }: GroupGranted & Visit & { sent: TreeQuery }): Promise<View> {
  const { group, user, level } = seen
  const address = groupAddress(group.full_path)
  const [header, tree] = await Promise.all([
    headerOf(app, { ...seen, token, ip }),
    treeOf(app, { group, viewer: user, sent, address, empty: emptyState(level > 0 ? firstInGroup() : nothingHere()) }),
  ])
  return groupView(
    { ...seen, tab: 'group' },
    {
      title: '',
      main: html`${header}${tree}`,
      head: html`<link rel="canonical" href="${app.config.url}${address}">${feedLink(t`Activity`, `/${group.full_path}.atom`, user)}`,
      scripts: ['groups.js'],
    },
  )
}

/** One level of the tree: as a page of its own, and for the script that inserts it in place. */
async function children({ app, ...seen }: GroupGranted & Visit, parentId: number, sent: TreeQuery): Promise<View> {
  const { group, user } = seen
  const { group: parent } = await findGroup(app.db, String(parentId), user)
  const rest = parent.full_path.slice(group.full_path.length)
  if (!parent.full_path.startsWith(group.full_path) || !/^(\/|$)/.test(rest)) throw notFound('Group')
  const address = groupAddress(group.full_path, 'children')
  const above = parent.full_path.split('/').slice(0, -1).join('/')
  const tree = await treeOf(app, { group: parent, viewer: user, sent, address, fixed: { parent_id: String(parentId) } })
  return groupView(
    { ...seen, tab: 'group' },
    {
      title: parent.name,
      main: html`
        <h1><a href="${groupAddress(parent.full_path)}">${isolated(parent.full_path)}</a></h1>
        ${rest !== '' && html`<p class="hint">In <a href="${groupAddress(above)}">${isolated(above)}</a></p>`}
        ${tree}
      `,
      scripts: ['groups.js'],
    },
  )
}

async function shared(app: App, seen: GroupGranted, number: number): Promise<View> {
  const { group, user } = seen
  const [{ rows, total }, groups] = await Promise.all([
    pageOfProjects(app, user, { order_by: 'last_activity_at', sort: 'desc' }, pageFrom({ page: number, per_page: perPage }), {
      shared_with_id: group.id,
    }),
    groupsSharing(app.db, user, group.id),
  ])
  const address = groupAddress(group.full_path, 'shared')
  const others = html`
    <h2>Groups with access</h2>
    <p>${sharedWith()}</p>
    <ul class="rows">
      ${groups.map(
        ({ group_full_path, group_access_level, expires_at }) =>
          html`
            <li>
              <div class="what"><a href="${groupAddress(group_full_path)}">${isolated(group_full_path)}</a></div>
              <div class="facts">
                <span>${roleName(group_access_level)}</span>
                ${expires_at !== null && html`<span>until ${day(expires_at)}</span>`}
              </div>
            </li>
          `,
      )}
    </ul>
  `
  return groupView(
    { ...seen, tab: 'shared' },
    {
      title: t`Shared`,
      main: html`
        <h1>Shared projects <span class="hint">${count(total, 'project')}</span></h1>
        ${total === 0 ? emptyState(nothingShared()) : listOf(rows)}${pagesBelow(address, {
          page: number,
          per_page: perPage,
          total,
        })}
        ${groups.length > 0 && others}
      `,
    },
  )
}

async function archived(app: App, seen: GroupGranted, number: number): Promise<View> {
  const { group, user } = seen
  const { rows, total } = await pageOfProjects(
    app,
    user,
    { order_by: 'last_activity_at', sort: 'desc', archived: true },
    pageFrom({ page: number, per_page: perPage }),
    { ancestor_id: group.id },
  )
  return groupView(
    { ...seen, tab: 'archived' },
    {
      title: t`Archived`,
      main: html`
        <h1>Archived projects <span class="hint">${count(total, 'project')}</span></h1>
        ${total === 0 ? emptyState(nothingArchived()) : listOf(rows)}
        ${pagesBelow(groupAddress(group.full_path, 'archived'), { page: number, per_page: perPage, total })}
      `,
    },
  )
}
