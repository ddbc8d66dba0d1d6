/**
 * The declaration of a kind of list: its pages, its feeds and the form for bulk changes are derived from it. Counts are in the tabs and not
 * in columns of the project, which every request of the API would read. Confidential issues only count for users who can see all of them.
 */
import type { LocatedProject } from '../../../access/find.ts'
import { placeAddress } from '../../../addresses/places.ts'
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
import type { FilterField, Sent, Sorts } from './filters.ts'

/** `place` is null for the dashboard: everything that the user can see. */
export interface ListContext extends Visit {
  user: User | null
  place: Place | null
}

export interface RowShown {
  isSelectable: boolean
  /** The project of the list; null for lists of several. */
  project: LocatedProject | null
}

export interface ListWords {
  title: string
  /** The label of the field that searches. */
  find: string
  create: string
  changeSelected: string
  /** The label of the scopes of the dashboard. */
  whose: string
  /** Titles of feeds. */
  ofPlace: (full_path: string) => string
  ofUser: (name: string) => string
}

export interface Listing<S extends Sent, F, D> {
  /** In URLs, and as the name of its tab. */
  name: 'issues' | 'merge_requests'
  words: () => ListWords
  sentences: { none: string; noneOfYours: string; noneFound: string }
  /** The access rule for a list of one project. */
  ofProject: Access<ProjectGranted>
  /** Its states with their labels; "all" is added at the end. */
  states: () => readonly Choice[]
  /** The scopes of the dashboard; the first is the default. */
  scopes: () => readonly Choice[]
  sorts: () => Sorts
  fields: (sent: S) => FilterField[]
  /** Parses the URL. */
  read: (address: string) => S
  /** Null if nothing can match. Throws 400 for too many names. */
  filterOf: (sent: S, place: Place | null) => F | null
  find: (app: App, user: User | null, scope: ListScope, filter: F, page: PageOf) => Promise<Found<D>>
  count: (app: App, user: User | null, scope: ListScope, filter: F) => Promise<Readonly<Record<string, number>>>
  row: (app: App, described: D, shown: RowShown) => Html
  entry: (app: App, described: D) => FeedEntry
  /** Whether there is a calendar of due dates. */
  hasCalendar: boolean
  /** Whether members with this level may make bulk changes. */
  mayPlan: (level: number) => boolean
  mayAdd: (project: LocatedProject) => boolean
  /** Content above the list of a project. */
  above?: (context: ListContext & { place: Place & { kind: 'project' } }) => Promise<Html | null>
}

/** The URL of such a list, its title, and the source of completions for its filters. */
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
