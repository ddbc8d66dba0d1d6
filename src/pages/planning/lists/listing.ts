/**
 * What a kind of list says of itself: from it come its pages, its feeds and the form that changes many.
 *
 * Counts stand in tabs and not in columns of the project, which every request of the API would read. Confidential issues are
 * counted for those alone who see all of them.
 */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Found, PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { ListScope } from '../../../features/planning/issuables/issuables.ts'
import type { Html } from '../../../html/html.ts'
import type { Place } from '../../../http/declare/places.ts'
import type { Access, ProjectGranted } from '../../../http/declare/rules.ts'
import type { FeedEntry } from '../../feeds/atom.ts'
import type { Visit } from '../../frame/declaration.ts'
import type { Choice } from '../../frame/forms.ts'
import { placeAddress } from '../places/places.ts'
import type { FilterField, Sent, Sorts } from './filters.ts'

/** `place` is null for the dashboard: everything that the user can see. */
export interface ListContext extends Visit {
  user: User | null
  place: Place | null
}

export interface RowShown {
  isSelectable: boolean
  /** Of the list; null for lists of more than one. */
  project: LocatedProject | null
}

export interface Listing<S extends Sent, F, D> {
  /** In addresses, and the name of its tab. */
  name: 'issues' | 'merge_requests'
  title: string
  /** Of one, and of many, in sentences. */
  noun: string
  nouns: string
  sentences: { none: string; noneOfYours: string; noneFound: string }
  /** Those of one project. */
  ofProject: Access<ProjectGranted>
  /** Its states with their labels; all together come last by themselves. */
  states: readonly Choice[]
  /** Whose the dashboard lists; the first is empty. */
  scopes: readonly Choice[]
  sorts: Sorts
  fields: (sent: S) => FilterField[]
  /** What an address says. */
  read: (address: string) => S
  /** Null where nothing can match. Throws 400 for too many names. */
  filterOf: (sent: S, place: Place | null) => F | null
  find: (app: App, user: User | null, scope: ListScope, filter: F, page: PageOf) => Promise<Found<D>>
  count: (app: App, user: User | null, scope: ListScope, filter: F) => Promise<Readonly<Record<string, number>>>
  row: (app: App, described: D, shown: RowShown) => Html
  entry: (app: App, described: D) => FeedEntry
  /** Whether it has a calendar of days. */
  hasCalendar: boolean
  /** Whether members of this level may change many. */
  mayPlan: (level: number) => boolean
  mayAdd: (project: LocatedProject) => boolean
  /** What stands above the list of a project. */
  above?: (context: ListContext & { place: Place & { kind: 'project' } }) => Promise<Html | null>
}

/** Where such a list is, of what, and where the names in its filters come from. */
export function listedAt(
  name: 'issues' | 'merge_requests',
  place: Place | null,
  user: User | null,
): { address: string; scope: ListScope; completions: string | null } {
  if (place === null) return { address: `/dashboard/${name}`, scope: {}, completions: null }
  const address = placeAddress(place, name)
  return place.kind === 'group'
    ? { address, scope: { group_id: place.row.id }, completions: null }
    : { address, scope: { project_id: place.row.id }, completions: user ? `/${place.row.full_path}/-/completions` : null }
}
