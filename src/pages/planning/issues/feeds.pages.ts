/** Issues as feeds and calendars, narrowed as their lists are: by session or by the feed token of a user. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { unauthorized } from '../../../failure.ts'
import { type DescribedIssue, issueUrl } from '../../../features/planning/issues/issues.ts'
import { onProjectOrGroup, type Place, type PlaceGranted, usingPlace } from '../../../http/places.ts'
import { type Access, anyone } from '../../../http/rules.ts'
import { webUrl } from '../../../links.ts'
import { entriesPerFeed, type FeedEntry, feedReply, instantOf, tagUri } from '../../feeds/atom.ts'
import { calendarReply } from '../../feeds/calendar.ts'
import { callerByFeedToken as callerBy } from '../../feeds/feed-caller.ts'
import { type Bytes, type Page, page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { placeAddress } from '../places/places.ts'
import { filterOf, type ListQuery, listQuery } from './list-filters.ts'
import { issuesOfFeed } from './list-view.ts'

/** `place` is null for the dashboard. */
interface Asked {
  app: App
  user: User | null
  place: Place | null
}

/** The latest first. At most four statements, and those that describe the issues. */
async function atom({ app, user, place }: Asked, sent: ListQuery): Promise<Bytes> {
  const { config } = app
  const { id, created_at, title, path } = aboutOf(place, user)
  const issues = await issuesOfFeed({ app, user, place }, filterOf(sent, place), entriesPerFeed)
  const entries = issues.map((one): FeedEntry => {
    const { issue, author } = one
    return {
      id: tagUri(config, issue.created_at, 'issue', issue.id),
      title: html`${issue.title}`,
      link: urlOf(app, one),
      updated: instantOf(issue.updated_at),
      author: { name: author.name, uri: webUrl(config, author.username) },
      summary: issue.description ?? undefined,
    }
  })
  const page = webUrl(config, path)
  return {
    bytes: feedReply({ id: tagUri(config, created_at, ...id, 'issues'), title, self: `${page}.atom`, page, updated: created_at, entries }),
  }
}

/** Issues of one calendar at most: those that are due first. */
const maxDue = 500

async function calendar({ app, user, place }: Asked, sent: ListQuery): Promise<Bytes> {
  const { title: name } = aboutOf(place, user)
  const filter = filterOf(sent, place)
  const due = filter && { ...filter, due_date: filter.due_date ?? ('any' as const), order_by: 'due_date' as const, sort: 'asc' as const }
  const issues = await issuesOfFeed({ app, user, place }, due, maxDue)
  const events = issues.flatMap((one) => {
    const { id, due_date, updated_at, title } = one.issue
    if (due_date === null) return []
    const url = urlOf(app, one)
    return {
      uid: `issue-${id}@${app.config.hostname}`,
      day: due_date,
      updated_at,
      summary: `${title} (in ${one.project_path})`,
      description: url,
      url,
    }
  })
  return { bytes: calendarReply(name, events) }
}

function urlOf({ config }: App, { issue, project_path }: DescribedIssue): string {
  return issueUrl(config, project_path, issue.iid)
}

function aboutOf(place: Place | null, user: User | null) {
  if (place) {
    const { id, created_at, full_path } = place.row
    return { id: [place.kind, id], created_at, title: `${full_path}: issues`, path: placeAddress(place, 'issues').slice(1) }
  }
  const { id, created_at, name } = signedInAs(user)
  return { id: ['dashboard', id], created_at, title: `Issues of ${name}`, path: 'dashboard/issues' }
}

const ofProject = usingPlace(['issues'], onProjectOrGroup('project', 'visible'))
const ofGroup = onProjectOrGroup('group', 'visible')

function feedsOf<S extends string>(base: S, access: Access<PlaceGranted>): Page[] {
  return [
    page(`GET ${base}.atom`, {
      access,
      callerBy,
      query: listQuery,
      show: ({ sent, app, user, place }) => atom({ app, user, place }, sent),
    }),
    page(`GET ${base}.ics`, {
      access,
      callerBy,
      query: listQuery,
      show: ({ sent, app, user, place }) => calendar({ app, user, place }, sent),
    }),
  ]
}

export const issueFeedPages: Page[] = [
  page('GET /dashboard/issues.atom', {
    access: anyone(),
    callerBy,
    query: listQuery,
    show: ({ sent, app, user }) => atom({ app, user, place: null }, sent),
  }),
  page('GET /dashboard/issues.ics', {
    access: anyone(),
    callerBy,
    query: listQuery,
    show: ({ sent, app, user }) => calendar({ app, user, place: null }, sent),
  }),
  ...feedsOf('/groups/:group/-/issues', ofGroup),
  ...feedsOf('/:project/issues', ofProject),
]

/** A page to sign in at is nothing that a reader of feeds understands. */
function signedInAs(user: User | null): User {
  if (!user) throw unauthorized()
  return user
}
