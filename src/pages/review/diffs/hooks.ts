/** Content within the diff of a merge request: discussions and drafts below their lines, and marks of what was viewed. */

import { createHash } from 'node:crypto'
import { isNoteResolvable } from '../../../features/discussion/notes/notes.ts'
import type { Position } from '../../../features/review/diff-notes/diff-notes.ts'
import type { ChangedFile } from '../../../git/diff/changed-files.ts'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import type { DiffRow } from '../../../git/diff/hunks.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { hidden, postButton } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { type RefusedNote, threadView } from '../../planning/discussion/discussion.ts'
import { refusalToComment, type Threads } from '../../planning/discussion/threads.ts'
import type { DiffHooks, PointShown } from '../../repository/history/diff/file-view.ts'
import { linesOf, positionWords } from '../merge-requests/note-positions.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { type MergeRequestSeen, noteableOf } from '../merge-requests/seen.ts'
import { countApplicable, suggestionView } from '../suggestions/suggestions-view.ts'
import { type Compared, lineKey, placeIn } from './compared-versions.ts'
import type { Draft, Talked } from './read.ts'
import { sentences } from './sentences.ts'

interface Placed {
  paths: string[]
  key: string | null
  /** In an image, as fractions of its size, with the URL of its discussion. */
  point: PointShown | null
  view: Html
}

export interface HookRequest {
  seen: MergeRequestSeen
  talked: Talked
  compared: Compared
  /** URL of the changes, which is the prefix of all forms. */
  changes: string
  /** URL of the page, to return to after marking a file as viewed. */
  back: string
  mayPush: boolean
  refused: RefusedNote | null
}

export function hooksOf(request: HookRequest): DiffHooks {
  const { seen, talked, compared, changes, back } = request
  const placed = placedIn(request)
  const isCarried = compared.interdiff?.kind === 'clean'
  const takesNotes = !isCarried && refusalToComment({ ...seen, noteable: noteableOf(seen) }) === null
  const marksFiles = seen.user !== null && compared.isNewest
  const isViewed = (path: string, oid: string) => talked.viewed.get(path) === oid
  return {
    takesNotes,
    notesOf: (file, rows) => notesOf(placed, file, rows),
    pointsOf: (file) => ownOf(placed, file).flatMap(({ point }) => (point ? [point] : [])),
    foldedBy: ({ new_path, new_oid }) => (isViewed(new_path, new_oid) ? sentences.viewed : null),
    actionsOf: ({ new_path, new_oid }) =>
      marksFiles ? viewedBox(seen, { changes, back, path: new_path, oid: new_oid, viewed: isViewed(new_path, new_oid) }) : null,
    progressOf: ({ files, total }) => {
      const viewed = files.filter(({ new_path, new_oid }) => isViewed(new_path, new_oid)).length
      return html`
        ${marksFiles && html`<span class="viewed-count" data-total="${total}">${sentences.viewedOf(viewed, total)}</span>`}
        ${takesNotes && html`<a class="end" href="#review">${sentences.finishReview(talked.drafts.length)}</a>`}
      `
    },
    markOf: (file: ChangedFile) => marksOf(placed, file, isViewed(file.new_path, file.new_oid)),
  }
}

/** The mark of a viewed file is there, hidden, where it isn't viewed: script shows it. */
function marksOf(placed: readonly Placed[], { new_path }: ChangedFile, viewed: boolean): Html {
  const count = placed.filter(({ paths }) => paths.includes(new_path)).length
  return html`${count > 0 && html` <span class="hint" title="Comments">${icon('comment')} ${count}</span>`} <span
      class="approved"
      title="Viewed"
      ${!viewed && html` hidden`}
    >${icon('check')}<span class="unseen">viewed</span></span>`
}

/** A box where scripts run, which marks the file and moves nothing on the page; a button where none do. */
function viewedBox(
  { token }: MergeRequestSeen,
  { changes, back, path, oid, viewed }: { changes: string; back: string; path: string; oid: string; viewed: boolean },
): Html {
  const id = `viewed-${createHash('sha1').update(path).digest('hex').slice(0, 12)}`
  return html`
    <form class="inline viewed" method="post" action="${changes}/viewed">
      ${token}${hidden({ path, oid, viewed: String(!viewed), back })}
      <label for="${id}"><input type="checkbox" id="${id}" data-viewed${viewed && html` checked`}> Viewed</label>
      <noscript><button>${viewed ? t`Not viewed` : t`Viewed`}</button></noscript>
    </form>
  `
}

function ownOf(placed: readonly Placed[], { old_path, new_path }: FileDiff): Placed[] {
  return placed.filter(({ paths }) => paths.includes(new_path) || paths.includes(old_path))
}

/** Notes below the lines that are shown, and the others above the file, so that none is left out. */
function notesOf(placed: readonly Placed[], file: FileDiff, rows: readonly DiffRow[] | null) {
  const own = ownOf(placed, file)
  const below = new Map<string, Html>()
  if (own.length === 0) return { below, above: null }
  const shown = new Set((rows ?? []).map(({ kind, old_line, new_line }) => (kind === 'removed' ? `L${old_line}` : `R${new_line}`)))
  const left: Html[] = []
  for (const { key, view } of own) {
    if (key === null || !shown.has(key)) left.push(view)
    else below.set(key, html`${below.get(key) ?? null}${view}`)
  }
  return { below, above: left.length === 0 ? null : html`<div class="file-talk">${left}</div>` }
}

function placedIn({ seen, talked, compared, changes, mayPush, refused }: HookRequest): Placed[] {
  const discussed = { ...seen, noteable: noteableOf(seen) }
  const isOneOfSeveral = countApplicable(talked.threads, seen.merge_request) > 1
  const threads: Threads = {
    ...talked.threads,
    action: changes,
    backTo: (id) => `${changes}/discussions/${id}`,
    replyChoices: html`<button name="act" value="draft">Add to review</button>`,
    belowOf: (id) => html`${talked.drafts.filter(({ row }) => row.discussion_id === id).map((draft) => draftView(seen, draft, changes))}`,
    belowNote: ({ note, suggestions }) =>
      html`${suggestions.map((suggestion) => suggestionView(seen, { note, suggestion, changes, mayPush, isOneOfSeveral }))}`,
  }
  const found = threads.threads.flatMap((thread): Placed[] => {
    const [first] = thread
    const place = first && placeIn(first.note, compared.refs)
    if (!first || !place) return []
    const { discussion_id } = first.note
    const overview = `${mergeRequestAddress(seen.project, seen.merge_request.iid)}/discussions/${discussion_id}`
    const words = { placeOf: () => placeLine(place, overview) }
    return [
      {
        paths: [place.new_path, place.old_path],
        key: lineKey(place),
        point: pointOf(place, `#discussion_${discussion_id}`),
        view: html`<ol class="talk">${threadView(discussed, { ...threads, ...words }, thread, refused)}</ol>`,
      },
    ]
  })
  const drafts = talked.drafts.flatMap((draft): Placed[] => {
    const place = draft.row.discussion_id === null ? placeIn(draft.row, compared.refs) : null
    if (!place) return []
    const point = pointOf(place, `#draft_${draft.row.id}`)
    return [{ paths: [place.new_path, place.old_path], key: lineKey(place), point, view: draftView(seen, draft, changes) }]
  })
  return [...found, ...drafts]
}

/** One line stands above the discussion; several are named. */
function placeLine(place: Position, overview: string): Html {
  const lines = place.position_type === 'text' ? linesOf(place) : null
  const words =
    lines && lines.from < lines.to ? html`Lines ${lines.from} to ${lines.to}` : html`<span class="unseen">${positionWords(place)}. </span>`
  return html`<p class="line-place">${words} <a href="${overview}">In the overview</a></p>`
}

function pointOf(place: Position, href: string): PointShown | null {
  if (place.position_type !== 'image') return null
  const { x, y, width, height } = place
  return { x: x / Math.max(1, width), y: y / Math.max(1, height), href }
}

/** A comment of a review that has not been submitted yet. */
export function draftView({ token }: MergeRequestSeen, { row, body }: Draft, changes: string): Html {
  return html`
    <article class="note draft-note" id="draft_${row.id}">
      <header>
        <span class="tag draft">In your review</span>
        <span class="end">${postButton(t`Delete`, { action: `${changes}/drafts/${row.id}/delete`, token })}</span>
      </header>
      ${body}
    </article>
  `
}

/** Unresolved discussions, in the order in which they were started. */
export function openOnes({ openings, threads }: Talked) {
  const byId = new Map(threads.threads.map((thread) => [thread[0]?.note.discussion_id, thread]))
  return openings.filter(({ discussion_id }) =>
    (byId.get(discussion_id) ?? []).some(({ note }) => isNoteResolvable({ kind: 'merge_request' }, note) && note.resolved_at === null),
  )
}

/** The hidden fields with the compared commits. */
export function refFields({ base_sha, start_sha, head_sha }: Compared['refs']): Html {
  return html`${hidden({ base_sha: base_sha ?? '', start_sha, head_sha })}`
}
