/** Lists of events, for the pages of projects, groups and users. */

import { commitAddress } from '../../addresses/repository.ts'
import type { App } from '../../app.ts'
import { type EventFilter, eventFilters, type ListedEvent } from '../../features/discussion/activity/activity.ts'
import { presentUserBrief } from '../../features/people/users/users.ts'
import { type Html, html } from '../../html/html.ts'
import { ago } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import { oneOfDefault } from '../../http/parameters/schema.ts'
import { pageNumber } from '../frame/paging.ts'
import { avatar, emptyState, isolated, navigation } from '../frame/parts.ts'
import { deedOf, filterLabels, noEvents, noSuchEvents } from './sentences.ts'

/** Events per page. */
export const eventsPerPage = 20

/** The query of a page with events: its number and the filter. */
export const eventQuery = { ...pageNumber, event_filter: oneOfDefault('all', ...eventFilters.filter((name) => name !== 'all')) }

export interface EventsShown {
  rows: readonly ListedEvent[]
  hasMore: boolean
  page: number
  filter: EventFilter
  /** URL of the page, with the parts of its query that all its pages share. */
  address: string
  /** Whether each row names its project: for lists of more than one. */
  withProjects: boolean
}

/** The list with its filters and the links to its pages. */
export function eventList(app: App, shown: EventsShown): Html {
  const { rows, hasMore, page, filter, address } = shown
  const at = (chosen: EventFilter, number = 1) => {
    const query = [...(chosen === 'all' ? [] : [`event_filter=${chosen}`]), ...(number === 1 ? [] : [`page=${number}`])].join('&')
    return query === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`
  }
  const filters = eventFilters.map((name) => ({ label: filterLabels[name], href: at(name), isCurrent: name === filter }))
  return html`
    ${navigation(t`Kinds of activity`, filters, 'tabs second')}
    ${rows.length === 0 ? emptyState(filter === 'all' ? noEvents() : noSuchEvents()) : eventRows(app, rows, shown.withProjects)}
    ${
      (page > 1 || hasMore) &&
      html`
        <nav class="pages" aria-label="Pages">
          ${page > 1 && html`<a rel="prev" href="${at(filter, page - 1)}">Newer</a>`}
          <span>Page ${page}</span>${hasMore && html`<a rel="next" href="${at(filter, page + 1)}">Older</a>`}
        </nav>
      `
    }
  `
}

/** Only the rows. */
export function eventRows({ config }: App, events: readonly ListedEvent[], withProjects: boolean): Html {
  return html`<ol class="rows events">${events.map((event) => eventRow(config, event, withProjects))}</ol>`
}

function eventRow(config: App['config'], event: ListedEvent, withProject: boolean): Html {
  const { author, project_path, after_oid, commit_title, created_at, note } = event
  const user = presentUserBrief(config, author)
  const commit = after_oid !== null && commit_title !== null && commitAddress({ full_path: project_path }, after_oid)
  return html`
    <li>
      ${avatar(user.avatar_url)}
      <div class="what">
        <a href="/${user.username}">${isolated(user.name)}</a>
        ${deedOf(event, linkTo)}${withProject && html` in <a href="/${project_path}">${isolated(project_path)}</a>`}
        ${
          commit &&
          html`
            <p><a href="${commit}"><code>${(after_oid ?? '').slice(0, 8)}</code></a> ${isolated(commit_title ?? '')}</p>
          `
        }
        ${note && html`<p>${isolated(excerptOf(note.body))}</p>`}
      </div>
      <div class="facts">${ago(created_at)}</div>
    </li>
  `
}

const shownOfNote_chars = 150

/** The first line of a note. */
function excerptOf(body: string): string {
  const line = body.trim().split('\n', 1)[0] ?? ''
  const characters = Array.from(line)
  return characters.length <= shownOfNote_chars ? line : `${characters.slice(0, shownOfNote_chars).join('')}…`
}

function linkTo(text: string, address: string | null): Html {
  return address === null ? html`<b>${isolated(text)}</b>` : html`<a href="${address}">${isolated(text)}</a>`
}
