/** Feeds in the Atom format (RFC 4287). */
import { createHash } from 'node:crypto'
import { type Html, html } from '../../html/html.ts'
import type { RawReply } from '../../http/declare/endpoint.ts'

export interface Feed {
  /** Stays the same when what the feed is about moves to another address. */
  id: string
  title: string
  /** The absolute addresses of the feed, without a token, and of the page that it belongs to. */
  self: string
  page: string
  /** When it last changed, where it has no entries. */
  updated: string
  /** The latest first. */
  entries: readonly FeedEntry[]
}

export interface FeedEntry {
  id: string
  /** HTML, so text of users in it is escaped. */
  title: Html
  /** An absolute address. */
  link: string
  updated: string
  author: { name: string; uri?: string | undefined }
  /** Plain text. */
  summary?: string | undefined
}

/** Entries of a feed: readers come often, and ask for all of it. */
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

/** The escapes of `html` are those of XML, too. */
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

/** Without what XML can't hold in any form: control characters, halves of surrogate pairs. */
function legal(text: string): string {
  return text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

const latest_ms = Date.UTC(9999, 11, 31)

/** As the format has it, for any instant; what commits say of their time may be none, or be in no year of four digits. */
export function instantOf(sent: string | number): string {
  const ms = new Date(sent).getTime()
  return new Date(Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), latest_ms)).toISOString()
}

/** A name for a thing of this service: `tag:host,2026-11-22:project/1/commit/…`. */
export function tagUri({ hostname }: { hostname: string }, updated: string, ...parts: Array<string | number>): string {
  return `tag:${encodeURIComponent(hostname)},${updated.slice(0, 10)}:${parts.map(encodeURIComponent).join('/')}`
}
