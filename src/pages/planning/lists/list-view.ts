/** A list of a project, a group or the dashboard, with its filters, its pages, and the form for bulk changes. */

import type { LocatedProject } from '../../../access/find.ts'
import type { User } from '../../../db/tables.ts'
import { type Html, html } from '../../../html/html.ts'
import { number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { calendarButton, feedButton, feedLink } from '../../feeds/feed-link.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { framedIn } from '../places/places.ts'
import { chipsOf } from './chips.ts'
import { isNarrowed, parametersOf, type Sent, withQuery } from './filters.ts'
import { listHead } from './list-head.ts'
import { type ListContext, type Listing, type ListWords, listedAt } from './listing.ts'
import { manyForm } from './many-form.ts'
import { milestonesFor } from './names.ts'

const perPage = 20

/** `typed`: the form for bulk changes, if it was rejected. */
export async function listView<S extends Sent, F, D>(
  listing: Listing<S, F, D>,
  context: ListContext,
  sent: S,
  typed: Typed | null = null,
): Promise<View> {
  const { app, user, place } = context
  const { name, sentences } = listing
  const { title } = listing.words()
  const { address, scope, completions } = listedAt(name, place, user)
  const filter = listing.filterOf(sent, place)
  const page = pageFrom({ page: sent.page, per_page: perPage })
  const { rows, total } = filter ? await listing.find(app, user, scope, filter, page) : { rows: [], total: 0 }
  const project = place?.kind === 'project' ? place.row : null
  const here = withQuery(address, parametersOf(sent))
  const isUnfiltered = !isNarrowed(sent) && sent.state === 'opened'
  const add = newLink(listing, user, project)
  const none = isUnfiltered ? sentences[place === null ? 'noneOfYours' : 'none'] : sentences.noneFound
  const list = rows.length === 0 ? emptyState(none, isUnfiltered && add) : await rowsOf(listing, context, rows, { here, typed })
  const above = place?.kind === 'project' ? await listing.above?.({ ...context, place }) : null
  const fields = listing.fields(sent)
  const feed = withQuery(`${address}.atom`, parametersOf(sent))
  return framed(name, context, {
    title,
    scripts: ['planning.js'],
    head: feedLink(title, feed, user),
    main: html`
      <div class="heading">
        <h1>${title}</h1>
        <div class="actions end">
          ${feedButton(feed, user)}
          ${listing.hasCalendar && calendarButton(withQuery(`${address}.ics`, parametersOf(sent)), user)}${add}
        </div>
      </div>
      ${above ?? null}${place === null && ownerships(listing, sent)}
      ${listHead(sent, {
        address,
        completions,
        fields,
        find: listing.words().find,
        sorts: listing.sorts(),
        own: user?.username ?? null,
        states: statesOf(listing, address, sent, filter ? await listing.count(app, user, scope, filter) : {}),
        chips: isNarrowed(sent) && chipsOf(fields, sent, { address, total }),
      })}
      ${list}${pagesBelow(here, { page: sent.page, per_page: perPage, total })}
    `,
  })
}

/** Inside a form, for users who may change several at once. */
async function rowsOf<S extends Sent, F, D>(
  listing: Listing<S, F, D>,
  { app, user, place, token }: ListContext,
  rows: readonly D[],
  { here, typed }: { here: string; typed: Typed | null },
): Promise<Html> {
  const project = place?.kind === 'project' ? place.row : null
  const isSelectable = user !== null && project !== null && listing.mayPlan(place?.level ?? 0) && !project.archived
  const list = html`
    <ul class="${`rows issues${isSelectable ? ' selectable' : ''}`}">
      ${rows.map((one) => listing.row(app, one, { isSelectable, project }))}
    </ul>
  `
  if (!isSelectable) return list
  return manyForm({ ...listing, project, token }, { list, here, typed, milestones: await milestonesFor(app, { project }) })
}

function framed(name: 'issues' | 'merge_requests', { place, user }: ListContext, view: Omit<View, 'above'>): View {
  return place === null ? { ...view, above: dashboardTabs(name) } : framedIn(name)({ place, user }, view)
}

interface Added {
  name: string
  words: () => ListWords
  mayAdd: (project: LocatedProject) => boolean
}

function newLink({ name, words, mayAdd }: Added, user: User | null, project: LocatedProject | null): Html | false {
  return (
    user !== null &&
    project !== null &&
    !project.archived &&
    mayAdd(project) &&
    html`<a class="button primary" href="/${project.full_path}/${name}/new" data-key="i">${icon('plus')} ${words().create}</a>`
  )
}

type Named = Pick<Listing<Sent, never, never>, 'name' | 'words' | 'scopes' | 'states'>

/** The scopes of the dashboard. */
function ownerships({ name, words, scopes }: Named, sent: Sent): Html {
  const links = scopes().map(([scope, label]) => ({
    label,
    href: withQuery(`/dashboard/${name}`, parametersOf(sent, { scope })),
    isCurrent: sent.scope === scope,
  }))
  return navigation(words().whose, links, 'tabs second')
}

/** Open, closed, all: each with its number of matches. */
function statesOf({ states }: Named, address: string, sent: Sent, counts: Readonly<Record<string, number>>): Html {
  const all = states().reduce((sum, [state]) => sum + (counts[state] ?? 0), 0)
  const links = [...states(), ['all', t`All`] as const].map(([state, label]) => ({
    label: `${label} ${number(state === 'all' ? all : (counts[state] ?? 0))}`,
    href: withQuery(address, parametersOf(sent, { state })),
    isCurrent: sent.state === state,
  }))
  return navigation(t`State`, links, 'tabs second')
}
