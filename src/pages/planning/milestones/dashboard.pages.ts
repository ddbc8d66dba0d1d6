/** The open milestones of the user's projects and groups, with their progress. */

import { Type } from 'typebox'
import { listMilestonesOfMember } from '../../../features/planning/milestones/milestones.ts'
import { countIssuesOfMilestones } from '../../../features/review/milestone-issues/milestone-issues.ts'
import { html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { milestoneRow } from './milestones-view.ts'
import { sentences } from './sentences.ts'

const perPage = 20
const address = '/dashboard/milestones'

export const dashboardMilestonePages = [
  page('GET /dashboard/milestones', {
    access: signedIn(),
    query: { ...pageNumber, search: Type.String({ default: '', maxLength: 255 }) },
    async show({ app, user, sent }) {
      const search = sent.search.trim()
      const { rows, total } = await listMilestonesOfMember(app.db, user.id, search, pageFrom({ page: sent.page, per_page: perPage }))
      const counts = await countIssuesOfMilestones(
        app.db,
        user,
        rows.map(({ id }) => id),
      )
      const here = search === '' ? address : `${address}?${new URLSearchParams({ search })}`
      const list = html`<ul class="rows">${rows.map((milestone) => milestoneRow(milestone, counts.get(milestone.id), true))}</ul>`
      return {
        title: t`Milestones`,
        above: dashboardTabs('milestones'),
        main: html`
          <div class="heading">
            <h1>Milestones <span class="hint">${count(total, 'milestone')}</span></h1>
          </div>
          <form class="filters" role="search" action="${address}">
            <label class="unseen" for="search">Find milestones</label>
            <input id="search" name="search" type="search" value="${search}" placeholder="Find milestones">
            <button>Find</button>
          </form>
          ${rows.length === 0 ? emptyState(search === '' ? sentences.noneOfYours : sentences.noneFound) : list}
          ${pagesBelow(here, { page: sent.page, per_page: perPage, total })}
        `,
      }
    },
  }),
]
