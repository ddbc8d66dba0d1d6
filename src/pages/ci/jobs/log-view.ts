/** The log on the page of a job: its last lines, a link to the earlier ones, and what the script needs to follow it. */
import type { App } from '../../../app.ts'
import type { CommitStatus } from '../../../db/tables.ts'
import { readTraceEnd, readTraceFrom, type TracePart } from '../../../features/ci/overviews/overviews.ts'
import { hasEnded } from '../../../features/ci/processing/processing.ts'
import { type Html, html } from '../../../html/html.ts'
import { count, size } from '../../../html/phrases.ts'
import { addressWith } from '../addresses.ts'
import { sentences } from '../sentences.ts'
import { beginning, type LogState, logOf, readState, writeState } from './log.ts'

const maxLines = 5_000
const maxPart_bytes = 2 * 1024 * 1024

/** The part that is wanted: after an offset, or before one. */
export interface Wanted {
  from: number
  line: number
  state: string
  to: number
}

type Job = Pick<CommitStatus, 'id' | 'status'>

/**
 * @param address URL of the page of the job
 * @param wanted null for the last lines
 */
export async function logView(app: App, job: Job, address: string, wanted: Wanted | null): Promise<Html> {
  const { id: job_id, status } = job
  const isOpen = !hasEnded(status)
  const follows = wanted !== null && wanted.to === 0
  const part = follows
    ? await readTraceFrom(app, job_id, { from: wanted.from, line: wanted.line, max_bytes: maxPart_bytes })
    : await readTraceEnd(app, job_id, { max_lines: maxLines, max_bytes: maxPart_bytes, to: wanted?.to })
  if (!part)
    return html`
      <job-log status="${status}" next="${nextOf(address, 0, 1, '')}"><p class="empty">${sentences.noLog}</p>
        ${logBox(null)}</job-log>
    `
  return written(address, isOpen ? wholeLines(part) : part, follows ? readState(wanted.state) : beginning, { status, follows })
}

/** Leaves an incomplete last line to the next part, unless it is long. */
function wholeLines(part: TracePart): TracePart {
  const cut = part.bytes.lastIndexOf(10) + 1
  if (part.bytes.length - cut > 64 * 1024) return part
  return { ...part, end: part.start + cut, bytes: part.bytes.subarray(0, cut) }
}

function written(address: string, part: TracePart, before: LogState, { status, follows }: { status: string; follows: boolean }): Html {
  const { content, state, lines } = logOf(part.bytes, part.line, before)
  const hasEarlier = !follows && part.start > 0
  const next = nextOf(address, part.end, part.line + lines, writeState(state))
  const more = part.end < part.length && part.bytes.length >= maxPart_bytes
  return html`
    <job-log status="${status}" next="${next}"${more && html` more`}>${
      hasEarlier &&
      html`
        <p class="earlier">
          <a class="button" href="${address}/log?to=${part.start}">Show earlier lines</a>
          <span class="hint">${count(part.line - 1, 'line')} before (${size(part.start)})</span>
        </p>
      `
    }
      ${logBox(content)}</job-log>
  `
}

function logBox(content: Html | null): Html {
  return html`<div class="log" tabindex="0" role="group" aria-label="Log">${content}</div>`
}

function nextOf(address: string, from: number, line: number, state: string): string {
  return addressWith(`${address}/log`, { from: String(from), line: String(line), state })
}
