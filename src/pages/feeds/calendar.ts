/** Calendars in the format of RFC 5545: one all-day event for each item that is due. */
import { createHash } from 'node:crypto'
import type { RawReply } from '../../http/declare/endpoint.ts'
import { withLineFeeds } from '../../text/line-breaks.ts'

export interface CalendarEvent {
  /** Stays the same as long as the item exists. */
  uid: string
  /** The day, as `2026-11-22`. */
  day: string
  updated_at: string
  summary: string
  description: string
  /** An absolute URL. */
  url: string
}

/** The reply to a request for a calendar. It is private, and sent again only if it has changed. */
export function calendarReply(name: string, events: readonly CalendarEvent[]): RawReply {
  const body = Buffer.from(calendarOf(name, events))
  return {
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    size: body.length,
    describe: () => ({ type: 'text/calendar; charset=utf-8' }),
    open: (part) => (part ? body.subarray(part.start, part.end + 1) : body),
  }
}

export function calendarOf(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Gitstead//Gitstead//EN',
    `NAME:${textOf(name)}`,
    `X-WR-CALNAME:${textOf(name)}`,
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function linesOf({ uid, day, updated_at, summary, description, url }: CalendarEvent): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${textOf(uid)}`,
    `DTSTAMP:${new Date(updated_at).toISOString().replace(/[-:]|\.\d+/g, '')}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `SUMMARY:${textOf(summary)}`,
    `DESCRIPTION:${textOf(description)}`,
    `URL:${url}`,
    // Doesn't mark anybody as busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/** Escapes a text as the format requires; control characters can't be contained in any form. */
function textOf(text: string): string {
  return withLineFeeds(text)
    .replace(/[^\t\n\P{Cc}]/gu, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

/** Bytes per line, without the line end. */
const maxLine_bytes = 75

/** Folds long lines: the next line begins with a space. Characters are never split. */
function folded(line: string): string {
  const lines: string[] = []
  let current = ''
  let size = 0
  for (const character of line) {
    const bytes = Buffer.byteLength(character)
    if (size + bytes > maxLine_bytes) {
      lines.push(current)
      current = ' '
      size = 1
    }
    current += character
    size += bytes
  }
  return [...lines, current].join('\r\n')
}
