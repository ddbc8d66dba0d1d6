/** The users who have starred a project. */

import { Type } from 'typebox'
import { presentUserBrief } from '../../../features/people/users/users.ts'
import { listStarrers } from '../../../features/spaces/projects/projects.ts'
import { html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { avatar, emptyState, isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import * as say from './sentences.ts'

const perPage = 50

export const starPages = [
  page('GET /:project/stars', {
    access: project('visible'),
    query: { ...pageNumber, search: Type.String({ default: '', maxLength: 255 }) },
    async show({ app, user, project, level, sent: { page, search } }) {
      const words = search.trim() || undefined
      const { rows, total } = await listStarrers(app.db, user, project.id, words, pageFrom({ page, per_page: perPage }))
      const address = `/${project.full_path}/stars`
      const list = html`
        <ul class="rows people">
          ${rows.map((row) => {
            const { name, username, avatar_url } = presentUserBrief(app.config, row)
            return html`
              <li>
                ${avatar(avatar_url, 32)}
                <div class="what">
                  <a href="/${username}">${isolated(name)}</a> <span class="hint">@${username}</span>
                </div>
                <div class="facts">${ago(row.starred_since)}</div>
              </li>
            `
          })}
        </ul>
      `
      const main = html`
        <h1>Stars</h1>
        <form class="filters" role="search" action="${address}">
          <label for="search">Find</label><input id="search" name="search" type="search" value="${search}">
          <button>Find</button>
        </form>
        ${total === 0 ? emptyState(say.noStars()) : list}
        ${pagesBelow(search ? `${address}?search=${encodeURIComponent(search)}` : address, { page, per_page: perPage, total })}
      `
      return projectView({ project, level, user, tab: 'project' }, { title: t`Stars`, main })
    },
  }),
]
