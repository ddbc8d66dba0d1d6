/** Feeds in the Atom format (RFC 4287). */
import { createHash } from 'node:crypto'
import { type Html, html } from '../../html/html.ts'
import type { RawReply } from '../../http/declare/endpoint.ts'

export interface Feed {
  /** Stays the same even if the subject of the feed is renamed. */
  id: string
  title: string
  /** The absolute URLs of the feed, without a token, and of its page. */
  self: string
  page: string
  /** When it last changed, for a feed without entries. */
  updated: string
  /** Newest first. */
  entries: readonly FeedEntry[]
}

export interface FeedEntry {
  id: string
  /** HTML, so text of users in it is escaped. */
  title: Html
  /** An absolute URL. */
  link: string
  updated: string
  author: { name: string; uri?: string | undefined }
  /** Plain text. */
  summary?: string | undefined
}

/** Limit of entries: feed readers poll often, and load the whole feed each time. */
export const entriesPerFeed = 20

const maxSummary_chars = 2_000

/** The reply to a request for a feed. It is private, and sent again only if it has changed. */
export function feedReply(feed: Feed): RawReply {
  const body = Buffer.from(atomOf(feed).text)
  return {
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    size: body.length,
    describe: () => ({ type: 'application/atom+xml; charset=utf-8' }),
    open: (part) => (part ? body.subarray(part.start, part.end + 1) : body),
  }
}

/** The escaping of `html` is valid for XML, too. */
function atomOf({ id, title, self, page, updated, entries }: Feed): Html {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${id}</id><title>${legal(title)}</title><updated>${entries[0]?.updated ?? instantOf(updated)}</updated>
<link rel="self" type="application/atom+xml" href="${self}"/><link rel="alternate" type="text/html" href="${page}"/>
${entries.map(entryOf)}</feed>
`
}

function entryOf({ id, title, link, updated, author, summary }: FeedEntry): Html {
  return html`
    <entry><id>${id}</id>
      <title type="html">${legal(title.text)}</title>
      <updated>${updated}</updated>
      <link rel="alternate" type="text/html" href="${link}"/>
      <author><name>${legal(author.name) || 'unknown'}</name>${author.uri !== undefined && html`<uri>${author.uri}</uri>`}</author>
      ${summary !== undefined && html`<summary>${legal(summary.slice(0, maxSummary_chars))}</summary>`}</entry>
  `
}

/** Removes what XML can't contain in any form: control characters, unpaired surrogates. */
function legal(text: string): string {
  return text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

const latest_ms = Date.UTC(9999, 11, 31)

/** The time in the format of Atom. The time in a commit may be invalid, or in a year without four digits. */
export function instantOf(sent: string | number): string {
  const ms = new Date(sent).getTime()
  return new Date(Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), latest_ms)).toISOString()
}

/** A permanent id for an entity of this instance: `tag:host,2026-11-22:project/1/commit/…`. */
export function tagUri({ hostname }: { hostname: string }, updated: string, ...parts: Array<string | number>): string {
  return `tag:${encodeURIComponent(hostname)},${updated.slice(0, 10)}:${parts.map(encodeURIComponent).join('/')}`
}
