/** Links to feeds in the head of pages, for feed readers and browsers that look for them. */
import type { User } from '../../db/tables.ts'
import { type Html, html } from '../../html/html.ts'
import { icon } from '../frame/parts.ts'

/**
 * For signed-in users, the URL contains their token, as feed readers have no session.
 * @param path of the feed, encoded, with its query: `/group/project.atom`
 */
export function feedLink(title: string, path: string, user: Pick<User, 'feed_token'> | null): Html {
  return html`<link rel="alternate" type="application/atom+xml" title="${title}" href="${feedAddress(path, user)}">`
}

/** A link to the same URL among the actions of a page. */
export function feedButton(path: string, user: Pick<User, 'feed_token'> | null): Html {
  return html`<a class="button" href="${feedAddress(path, user)}">${icon('feed')} Feed</a>`
}

/** A link to the calendar of the same list (RFC 5545). */
export function calendarButton(path: string, user: Pick<User, 'feed_token'> | null): Html {
  return html`<a class="button" href="${feedAddress(path, user)}">${icon('clock')} Calendar</a>`
}

function feedAddress(path: string, user: Pick<User, 'feed_token'> | null): string {
  return user?.feed_token ? `${path}${path.includes('?') ? '&' : '?'}feed_token=${user.feed_token}` : path
}
