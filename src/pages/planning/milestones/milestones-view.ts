/** The milestones of a project or group as rows, and the form of one. */

import { placeAddress } from '../../../addresses/places.ts'
import type { Milestone, User } from '../../../db/tables.ts'
import { listMilestones, milestonePath, milestonePlace, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { countIssuesOfMilestones, type IssueCounts } from '../../../features/review/milestone-issues/milestone-issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Place } from '../../../http/declare/places.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { field, form, markdownField, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated, navigation } from '../../frame/parts.ts'
import { dueDay } from '../issues/parts.ts'
import { mayPlanIn } from '../places/places.ts'
import { sentences } from './sentences.ts'

const perPage = 20

export type Seen = Visit & { place: Place; user: User | null }

interface Query {
  page: number
  state: 'active' | 'closed' | 'all'
  search: string
}

export function pageOfMilestone(place: Place, { iid }: Pick<Milestone, 'iid'>): string {
  return `${placeAddress(place, 'milestones')}/${iid}`
}

export async function milestonesView({ app, place, user }: Seen, sent: Query): Promise<Omit<View, 'above'>> {
  const address = placeAddress(place, 'milestones')
  const { state, search } = sent
  const filter = { state, search: search.trim(), inherited: true }
  const { rows, total } = await listMilestones(app.db, milestonePlace(place), filter, pageFrom({ ...sent, per_page: perPage }))
  const counts = await countIssuesOfMilestones(
    app.db,
    user,
    rows.map(({ id }) => id),
  )
  const add =
    mayPlanIn(place, 'manage_milestones') && html`<a class="button primary" href="${address}/new">${icon('plus')} New milestone</a>`
  const link = (one: Query['state'], label: string) => ({
    label,
    href: addressOf(address, { state: one, search }),
    isCurrent: one === state,
  })
  const isUnfiltered = search === '' && state === 'active'
  return {
    title: t`Milestones`,
    main: html`
      <div class="heading">
        <h1>Milestones <span class="hint">${count(total, 'milestone')}</span></h1>
        ${add}
      </div>
      <form class="filters" role="search" action="${address}">
        <label class="unseen" for="search">Find milestones</label>
        <input id="search" name="search" type="search" value="${search}" placeholder="Find milestones">
        ${state !== 'active' && html`<input type="hidden" name="state" value="${state}">`}
        <button>Find</button>
      </form>
      ${navigation(t`State`, [link('active', t`Open`), link('closed', t`Closed`), link('all', t`All`)], 'tabs second')}
      ${
        rows.length === 0
          ? emptyState(isUnfiltered ? sentences.none : sentences.noneFound, isUnfiltered && add)
          : html`<ul class="rows">${rows.map((milestone) => milestoneRow(milestone, counts.get(milestone.id)))}</ul>`
      }
      ${pagesBelow(addressOf(address, sent), { page: sent.page, per_page: perPage, total })}
    `,
  }
}

function addressOf(address: string, { state, search }: Pick<Query, 'state' | 'search'>): string {
  const query = new URLSearchParams({ ...(state !== 'active' && { state }), ...(search !== '' && { search }) })
  return query.size > 0 ? `${address}?${query}` : address
}

export function milestoneRow(milestone: PlacedMilestone, counts?: IssueCounts, withPlace = false): Html {
  const { title, state, namespace_id, place_path } = milestone
  return html`
    <li>
      <div class="what">
        <a href="${milestonePath(milestone)}">${isolated(title)}</a>
        ${state === 'closed' && html`<span class="tag">closed</span>`}${namespace_id !== null && html`<span class="tag">group</span>`}
        <p>${withPlace && html`${isolated(place_path)} · `}${datesOf(milestone)}</p>
      </div>
      <div class="facts">${progressOf(counts)}</div>
    </li>
  `
}

export function datesOf({ start_date, due_date, state }: Milestone): Html {
  if (start_date === null && due_date === null) return html`No dates`
  return html`
    ${start_date !== null && html`From ${dueDay(start_date, false)} `}${
      due_date !== null && html`due ${dueDay(due_date, state === 'active')}`
    }
  `
}

export function progressOf({ opened, closed }: IssueCounts = { opened: 0, closed: 0 }): Html {
  const total = opened + closed
  if (total === 0) return html`<span>No issues</span>`
  return html`
    <progress aria-label="Closed issues" value="${closed}" max="${total}"></progress>
    <span>${closed} of ${count(total, 'issue')} closed</span>
  `
}

/** `milestone` is null for a new one. */
export function milestoneFormView({ place, token }: Seen, milestone: Milestone | null, typed: Typed = untouched): Omit<View, 'above'> {
  const heading = milestone ? t`Edit milestone` : t`New milestone`
  const address = placeAddress(place, 'milestones')
  const project = place.kind === 'project' ? { project: place.row, takesFiles: true } : {}
  const content = html`
    ${field(t`Title`, 'title', typed, { value: milestone?.title, required: true, autofocus: true, autocomplete: 'off' })}
    ${markdownField(t`Description`, 'description', typed, { value: milestone?.description ?? '', rows: 8, ...project })}
    <div class="filter-fields">
      ${field(t`Start`, 'start_date', typed, { type: 'date', value: milestone?.start_date ?? '' })}
      ${field(t`Due`, 'due_date', typed, { type: 'date', value: milestone?.due_date ?? '', hint: sentences.dueHint })}
    </div>
  `
  return {
    title: heading,
    scripts: [textFieldScript],
    main: html`
      <h1>${heading}</h1>
      ${problemsOf(typed.errors, ['title', 'description', 'start_date', 'due_date'])}
      ${form(
        { action: milestone ? `${address}/${milestone.iid}` : address, token, submit: milestone ? t`Save` : t`Create milestone` },
        content,
      )}
    `,
  }
}
