/** The log on the page of a job: its last lines, links to the others, and what the script needs to follow it. */
import type { App } from '../../../app.ts'
import type { CommitStatus } from '../../../db/tables.ts'
import { readTraceEnd, readTraceFrom, type TracePart } from '../../../features/ci/overviews/overviews.ts'
import { hasEnded } from '../../../features/ci/processing/processing.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { addressWith } from '../addresses.ts'
import { sentences } from '../sentences.ts'
import { beginning, type LogState, logOf, readState, writeState } from './log.ts'

const limits = { max_lines: 5_000, max_bytes: 2 * 1024 * 1024 }

/** The part that is wanted: after an offset, or before a line. */
export interface Wanted {
  from: number
  line: number
  state: string
  /** 0 for a part after an offset. */
  before: number
}

type Job = Pick<CommitStatus, 'id' | 'status'>

/**
 * @param address URL of the page of the job
 * @param wanted null for the last lines
 */
export async function logView(app: App, job: Job, address: string, wanted: Wanted | null): Promise<Html> {
  const { id: job_id, status } = job
  const follows = wanted !== null && wanted.before === 0
  const part = follows
    ? await readTraceFrom(app, job_id, { from: wanted.from, line: wanted.line, ...limits })
    : await readTraceEnd(app, job_id, { before: wanted?.before, ...limits })
  if (!part)
    return html`
      <job-log status="${status}" next="${nextOf(address, 0, 1, '')}"><p class="empty">${sentences.noLog}</p>
        ${logBox(null)}</job-log>
    `
  const whole = hasEnded(status) && !part.hasMore ? part : wholeLines(part)
  return written(address, whole, follows ? readState(wanted.state) : beginning, { status, follows })
}

/** Leaves an incomplete last line to the next part, unless it is long. */
function wholeLines(part: TracePart): TracePart {
  const cut = part.bytes.lastIndexOf(10) + 1
  if (part.bytes.length - cut > 64 * 1024) return part
  return { ...part, end: part.start + cut, bytes: part.bytes.subarray(0, cut) }
}

function written(address: string, part: TracePart, before: LogState, { status, follows }: { status: string; follows: boolean }): Html {
  const { content, state, lines } = logOf(part.bytes, part.line, before)
  const hasEarlier = !follows && part.line > 1
  const next = nextOf(address, part.end, part.line + lines, writeState(state))
  return html`
    <job-log status="${status}" next="${next}">${hasEarlier && earlier(address, part.line)}
      ${logBox(content)}${part.hasMore && html`<p class="later"><a class="button" href="${next}">Show later lines</a></p>`}</job-log>
  `
}

function earlier(address: string, line: number): Html {
  return html`
    <p class="earlier">
      <a class="button" href="${addressWith(`${address}/log`, { before: String(line) })}">Show earlier lines</a>
      <span class="hint">${count(line - 1, 'line')} before</span>
    </p>
  `
}

function logBox(content: Html | null): Html {
  return html`<div class="log" tabindex="0" role="group" aria-label="Log">${content}</div>`
}

function nextOf(address: string, from: number, line: number, state: string): string {
  return addressWith(`${address}/log`, { from: String(from), line: String(line), state })
}
