/** The page of a user: who they are, and their projects. */
import { pageOfOwner } from '../../features/spaces/projects/projects.ts'
import { pageFrom } from '../../http/page.ts'
import { anyone } from '../../http/rules.ts'
import { userById, within } from '../../http/within.ts'
import { feedLink } from '../feeds/feed-link.ts'
import { page } from '../frame/declaration.ts'
import { html } from '../frame/html.ts'
import { pageNumber, pagesBelow } from '../frame/paging.ts'
import { ago } from '../frame/phrases.ts'
import { listOf } from '../spaces/project-lists.ts'

const perPage = 20

export const profilePages = [
  page('GET /:user', {
    access: within(anyone(), userById),
    query: pageNumber,
    async show({ app, user, owner, sent }) {
      const isHidden = owner.private_profile && !user?.admin && user?.id !== owner.id
      const { rows, total } = await pageOfOwner(
        app,
        owner,
        user,
        { order_by: 'last_activity_at', sort: 'desc' },
        pageFrom({ page: sent.page, per_page: perPage }),
      )
      return {
        title: `${owner.name} (${owner.username})`,
        head: feedLink('Activity', `/${owner.username}.atom`, user),
        main: html`<h1>${owner.name} <span class="hint">@${owner.username}</span></h1>
${!isHidden && html`${owner.bio && html`<p>${owner.bio}</p>`}<p class="hint">Joined ${ago(owner.created_at)}</p>`}
${total === 0 ? html`<p class="empty">There are no projects that you can see.</p>` : html`<h2>Projects</h2>${listOf(rows)}`}
${pagesBelow(`/${owner.username}`, { page: sent.page, per_page: perPage, total })}`,
      }
    },
  }),
]
