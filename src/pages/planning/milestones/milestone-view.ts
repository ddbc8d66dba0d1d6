/** One milestone: its text, its dates, its issues. */

import { Failure } from '../../../failure.ts'
import { renderFile } from '../../../features/instance/markdown/markdown.ts'
import { describeIssues } from '../../../features/planning/issues/issues.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { countIssuesOfMilestones, listIssuesOfMilestone } from '../../../features/review/milestone-issues/milestone-issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import type { Place } from '../../../http/declare/places.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { View } from '../../frame/declaration.ts'
import { dangerous, postButton } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { isolated } from '../../frame/parts.ts'
import { proseHtml } from '../../frame/prose-html.ts'
import { proseOf } from '../../project/prose.ts'
import { issueRow } from '../issues/row.ts'
import { mayPlanIn } from '../places/places.ts'
import { datesOf, pageOfMilestone, progressOf, type Seen } from './milestones-view.ts'
import { sentences } from './sentences.ts'

const perPage = 50

export async function milestoneView(seen: Seen & { milestone: PlacedMilestone }, page: number): Promise<Omit<View, 'above'>> {
  const { app, place, user, token, milestone } = seen
  const { id, title, state } = milestone
  const address = pageOfMilestone(place, milestone)
  const scope = place.kind === 'project' ? { project_id: place.row.id } : { group_id: place.row.id }
  const { rows, total } = await listIssuesOfMilestone(app.db, user, scope, id, pageFrom({ page, per_page: perPage }))
  const [described, counts, text] = await Promise.all([
    describeIssues(app.db, user, rows),
    countIssuesOfMilestones(app.db, user, [id]),
    textOf(seen, milestone.description),
  ])
  const [event, label] = state === 'active' ? ['close', t`Close milestone`] : ['activate', t`Reopen milestone`]
  return {
    title,
    main: html`
      <div class="heading">
        <h1>${isolated(title)} ${state === 'closed' && html`<span class="tag">closed</span>`}</h1>
        ${
          mayPlanIn(place, 'manage_milestones') &&
          html`
            <div class="actions end">
              <a class="button" href="${address}/edit">Edit</a>
              ${postButton(label, { action: `${address}/${event}`, token })}
            </div>
          `
        }
      </div>
      <p class="facts">${datesOf(milestone)} ${progressOf(counts.get(id))}</p>
      ${text}
      <h2>Issues</h2>
      ${
        rows.length === 0
          ? html`<p class="hint">${sentences.noIssues}</p>`
          : html`
            <ul class="rows issues">
              ${described.map((one) => issueRow(app, one, { withProject: place.kind === 'group' }))}
            </ul>
          `
      }
      ${pagesBelow(address, { page, per_page: perPage, total })}
      ${mayPlanIn(place, 'manage_milestones') && more(place, address, token)}
    `,
  }
}

function more(place: Place, address: string, token: Html): Html {
  const isPromotable = place.kind === 'project' && place.row.namespace_kind === 'group'
  const button = (label: string, word: string) => postButton(label, { action: `${address}/${word}`, token, kind: 'danger' })
  return html`
    <h2>More</h2>
    ${
      isPromotable &&
      dangerous(t`Promote to a milestone of the group`, html`<p>${sentences.promotion}</p>${button(t`Promote milestone`, 'promote')}`)
    }
    ${dangerous(t`Delete the milestone`, html`<p>${sentences.deletion}</p>${button(t`Delete milestone`, 'remove')}`)}
  `
}

async function textOf({ app, place, user, ip }: Seen, text: string | null): Promise<Html | null> {
  if (text === null || text === '') return null
  if (place.kind === 'project') {
    const [prose] = await proseOf(app, { project: place.row, level: place.level, user, ip }, [text], sentences.tooLong)
    return prose ?? null
  }
  // Only projects can resolve references.
  try {
    const made = await renderFile(callerOf(user, ip), text.slice(0, maxRendered_chars), { gfm: true, within_page: true })
    return html`<div class="prose">${await proseHtml(app, made)}</div>`
  } catch (error) {
    // The renderer is too busy, or took too long: the source is always available.
    if (error instanceof Failure) return html`<pre class="message">${text}</pre>`
    throw error
  }
}

const maxRendered_chars = 64 * 1024
