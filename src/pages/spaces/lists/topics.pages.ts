/** Topics, and the projects that have one. */

import { notFound } from '../../../failure.ts'
import { findTopicByName, listTopics } from '../../../features/spaces/topics/topics.ts'
import { html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated } from '../../frame/parts.ts'
import { descriptionOf } from '../description.ts'
import { exploreTabs } from './explore.pages.ts'
import { addressWith, filterForm, searchText } from './filters.ts'
import { projectList, projectQuery } from './project-list.ts'
import { noProjects, noTopicMatches, noTopics } from './sentences.ts'

const perPage = 40

const topicAddress = (name: string): string => `/explore/projects/topics/${encodeURIComponent(name)}`

export const topicPages = [
  page('GET /explore/projects/topics', {
    access: anyone(),
    query: { ...pageNumber, search: searchText },
    async show({ app, user, sent: { page, search } }) {
      const { rows, total } = await listTopics(app.db, user, { search }, pageFrom({ page, per_page: perPage }))
      const address = '/explore/projects/topics'
      const list = html`
        <ul class="rows">
          ${rows.map(
            ({ name, title, description, projects }) => html`
              <li>
                ${icon('tag')}
                <div class="what">
                  <a href="${topicAddress(name)}">${isolated(title)}</a>
                  ${description && html`<p>${isolated(description)}</p>`}
                </div>
                <div class="facts"><span>${count(projects, 'project')}</span></div>
              </li>
            `,
          )}
        </ul>
      `
      return {
        title: t`Topics`,
        above: exploreTabs('topics'),
        main: html`
          <h1>Topics</h1>
          ${filterForm(address, { label: t`Find by name`, value: search })}
          ${total > 0 ? list : emptyState(search === '' ? noTopics() : noTopicMatches())}
          ${pagesBelow(addressWith(address, { search }), { page, per_page: perPage, total })}
        `,
      }
    },
  }),
  page('GET /explore/projects/topics/:topic', {
    access: anyone(),
    query: projectQuery(),
    async show({ app, ip, user, params: { topic: name }, sent }) {
      const topic = await findTopicByName(app.db, user, name)
      if (!topic) throw notFound('Topic')
      const [description, list] = await Promise.all([
        descriptionOf(app, topic.description, callerOf(user, ip)),
        projectList(app, {
          viewer: user,
          sent,
          address: topicAddress(topic.name),
          fixed: { topic_id: topic.id },
          empty: emptyState(noProjects()),
        }),
      ])
      return {
        title: topic.title,
        above: exploreTabs('topics'),
        main: html`<h1>${isolated(topic.title)} <span class="hint">topic</span></h1>${description}${list}`,
      }
    },
  }),
]
