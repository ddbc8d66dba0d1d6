/** Small parts of pages of issues: labels, people, states, milestones, addresses. */
import type { LocatedProject } from '../../../access/find.ts'
import { today } from '../../../db/instants.ts'
import type { Issue, Label } from '../../../db/tables.ts'
import { type Html, html } from '../../frame/html.ts'
import { icon } from '../../frame/parts.ts'

export function issuesAddress({ full_path }: Pick<LocatedProject, 'full_path'>): string {
  return `/${full_path}/issues`
}

export function issueAddress(project: Pick<LocatedProject, 'full_path'>, iid: number): string {
  return `${issuesAddress(project)}/${iid}`
}

/** The color of a label. */
export function dot(color: string): Html {
  return html`<svg class="dot" aria-hidden="true" width="10" height="10"><circle cx="5" cy="5" r="5" fill="${color}"></circle></svg>`
}

/** A label: its color as a dot, as text on any color could be unreadable. Leads to the issues with it. */
export function labelTag({ title, color, description }: Label, listAddress: string): Html {
  const name = html`${dot(color)}<bdi>${title}</bdi>`
  return html`<a class="tag label" href="${listAddress}?label_name%5B%5D=${encodeURIComponent(title)}"${description !== null && html` title="${description}"`}>${name}</a> `
}

export function stateTag({ state }: Pick<Issue, 'state'>): Html {
  return html`<span class="tag state ${state}">${icon(state === 'opened' ? 'issue' : 'check')} ${state === 'opened' ? 'Open' : 'Closed'}</span>`
}

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day; marked where it has passed. */
export function dueDay(day: string, isOpen: boolean): Html {
  const isLate = isOpen && day < today()
  return html`<time datetime="${day}"${isLate && html` class="late"`}>${days.format(new Date(day))}${isLate && ' (overdue)'}</time>`
}
