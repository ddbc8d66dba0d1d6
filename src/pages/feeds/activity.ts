/** Feeds of activity. */

import { webUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { type EventScope, type ListedEvent, listEvents } from '../../features/discussion/activity/activity.ts'
import { html } from '../../html/html.ts'
import { deedOf } from '../activity/sentences.ts'
import type { Bytes } from '../frame/declaration.ts'
import { entriesPerFeed, type FeedEntry, feedReply, instantOf, tagUri } from './atom.ts'

interface Shown {
  viewer: User | null
  /** Null if it is hidden: the feed is empty then. */
  scope: EventScope | null
  title: string
  /** URL path of the page; that of the feed adds `.atom`. */
  path: string
  /** The subject of the feed: its kind, its id, and when it was created. */
  about: { kind: string; id: number; created_at: string }
}

/** One statement, regardless of the number of events. */
export async function activityFeed(app: App, { viewer, scope, title, path, about }: Shown): Promise<Bytes> {
  const { config } = app
  const { rows } = scope ? await listEvents(app, viewer, scope, { limit: entriesPerFeed, offset: 0 }) : { rows: [] }
  return {
    bytes: feedReply({
      id: tagUri(config, about.created_at, about.kind, about.id),
      title,
      self: webUrl(config, `${path}.atom`),
      page: webUrl(config, path),
      updated: about.created_at,
      entries: rows.map((event) => entryOf(config, event)),
    }),
  }
}

function entryOf(config: App['config'], event: ListedEvent): FeedEntry {
  const { author, project_path, created_at, id, commit_title } = event
  let target: string | null = null
  const deed = deedOf(event, (text, address) => {
    target = address
    return html`${text}`
  })
  return {
    id: tagUri(config, created_at, 'event', id),
    title: html`${author.name} ${deed} in ${project_path}`,
    link: `${config.url}${target ?? `/${project_path}`}`,
    updated: instantOf(created_at),
    author: { name: author.name, uri: webUrl(config, author.username) },
    summary: commit_title ?? undefined,
  }
}
