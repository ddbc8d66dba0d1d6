/** The discussion of an issue or another noteable: comments with their replies, and system notes. */

import { canManageIssue } from '../../../access/issues.ts'
import type { Note } from '../../../db/tables.ts'
import { type Award, awardsToNotes } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { canResolve } from '../../../features/discussion/diff-discussions/diff-discussions.ts'
import {
  countOpeningsBefore,
  type DescribedNote,
  describeNotes,
  excerptsOfDiscussions,
  isNoteResolvable,
  listDiscussions,
} from '../../../features/discussion/notes/notes.ts'
import { kindOf } from '../../../features/noteable-kinds.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, hidden, markdownField, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { icon } from '../../frame/parts.ts'
import { type Cut, maxShown_chars, proseOf } from '../../project/prose.ts'
import { type Discussed, noteableAddress, wholeDiscussionAddress, wholeNoteAddress } from './discussed.ts'
import { noteView } from './note-view.ts'
import { sentences } from './sentences.ts'
import { systemNote } from './system-note.ts'
import { refusalToComment, type Threads } from './threads.ts'

const perPage = 100
/** Limit of characters read for all notes of a page. More could not be shown anyway. */
const maxRead_chars = 2 * 1024 * 1024
/** Limit for the first note of each discussion beyond that. */
const beginning_chars = 1_000

/** One page of the discussion. */
export interface Talk extends Threads {
  page: number
  total: number
}

/** At most twelve statements. */
export async function readTalk(seen: Discussed, page: number): Promise<Talk> {
  const { app, user, noteable } = seen
  const { ids, total } = await listDiscussions(app.db, noteable, user, { limit: perPage, offset: (page - 1) * perPage })
  return { ...(await readThreads(seen, ids)), page, total }
}

/** The URL of a discussion on the page of its noteable. Three statements. */
export async function talkAddress({ app, user, noteable }: Discussed, opening: Note): Promise<string> {
  const page = 1 + Math.floor((await countOpeningsBefore(app.db, noteable, user, opening)) / perPage)
  return `${noteableAddress(noteable)}${page > 1 ? `?page=${page}` : ''}#discussion_${opening.discussion_id}`
}

/** At most nine statements. */
export async function readThreads(seen: Discussed, ids: readonly string[], cut?: Cut): Promise<Threads> {
  const { app, user, noteable } = seen
  const limits = { together: maxRead_chars, of_note: cut?.max_chars ?? maxShown_chars, of_others: beginning_chars }
  const read = await excerptsOfDiscussions(app.db, noteable, user, ids, limits)
  const notes = await describeNotes(app.db, read.notes)
  const threads = new Map<string, DescribedNote[]>(ids.map((id) => [id, []]))
  for (const described of notes) threads.get(described.note.discussion_id)?.push(described)
  const written = notes.filter(({ note }) => !note.system).map(({ note }) => note.id)
  const rendered = await proseOf(
    app,
    seen,
    notes.map(({ note }) => note.body),
    sentences.tooLong,
    {
      cut,
      isBeginning: (index) => read.cut.has(notes[index]?.note.id ?? 0),
      ...(user !== null && { wholeOf: (index) => wholeNoteAddress(noteable, notes[index]?.note) }),
    },
  )
  const awards = new Map<number, Award[]>()
  for (const award of await awardsToNotes(app.db, written)) {
    const noteId = award.note_id ?? 0
    awards.set(noteId, [...(awards.get(noteId) ?? []), award])
  }
  const bodies = new Map(notes.map(({ note }, index) => [note.id, rendered[index] ?? null]))
  return { threads: [...threads.values()].filter(({ length }) => length > 0), bodies, awards, left: read.left }
}

/** A rejected form of the discussion; a reply has the id of its discussion. */
export interface RefusedNote {
  discussion_id: string | null
  typed: Typed
}

/** The state change that a comment may include: `reopen` for something closed. Null if the viewer may not. */
export type StateEvent = 'close' | 'reopen' | null

export function talkView(seen: Discussed, talk: Talk, refused: RefusedNote | null, stateEvent: StateEvent): Html {
  const { threads, page, total } = talk
  const address = noteableAddress(seen.noteable)
  const last = Math.max(1, Math.ceil(total / perPage))
  const newest = page < last && html`<p><a href="${address}?page=${last}#notes">Newest comments</a></p>`
  return html`
    <section aria-labelledby="notes">
      <h2 id="notes">Discussion</h2>
      ${threads.length > 0 && refusalToComment(seen) === null && html`<a class="to-reply" href="#new-body">Reply</a>`}
      ${newest}
      ${
        threads.length === 0
          ? html`<p class="hint">${sentences.noNotes}</p>`
          : html`<ol class="talk">${threads.map((thread) => threadView(seen, talk, thread, refused))}</ol>`
      }
      ${pagesBelow(address, { page, per_page: perPage, total })}
      ${commentForm(seen, refused?.discussion_id === null ? refused.typed : untouched, stateEvent)}
    </section>
  `
}

/** One discussion, as an entry of a list. */
export function threadView(seen: Discussed, talk: Threads, thread: DescribedNote[], refused: RefusedNote | null): Html {
  const [first] = thread
  if (!first) return html``
  if (first.note.system) return systemNote(seen.app, first, talk.bodies.get(first.note.id) ?? null)
  const { discussion_id } = first.note
  const own = refused?.discussion_id === discussion_id ? refused.typed : null
  const replies = thread.slice(1).map((described) => html`<li>${noteView(seen, described, talk)}</li>`)
  const content = html`
    ${talk.placeOf?.(first.note) ?? null}${noteView(seen, first, talk)}
    ${replies.length > 0 && html`<ol>${replies}</ol>`}
    ${leftOut(seen, first.note, talk)}${talk.belowOf?.(discussion_id) ?? null}
  `
  const reply = replyForm(seen, discussion_id, own, talk)
  const resolvable = thread.filter(({ note }) => isNoteResolvable(seen.noteable, note))
  if (resolvable.length === 0) return html`<li class="thread">${content}${reply}</li>`
  const isResolved = resolvable.every(({ note }) => note.resolved_at !== null)
  const button =
    !seen.project.archived &&
    canResolve(seen.noteable, seen.user) &&
    postButton(isResolved ? t`Reopen the discussion` : t`Resolve the discussion`, {
      action: `${talk.action ?? noteableAddress(seen.noteable)}/discussions/${discussion_id}/resolve`,
      token: seen.token,
      fields: { resolved: String(!isResolved) },
    })
  const acts = html`<div class="thread-acts">${reply}${button}</div>`
  if (!isResolved) return html`<li class="thread" id="discussion_${discussion_id}">${content}${acts}</li>`
  const excerpt = excerptOf(first)
  const resolver = resolvable.findLast(({ resolved_by }) => resolved_by !== null)?.resolved_by ?? null
  return html`
    <li class="thread" id="discussion_${discussion_id}">
      <details${own && html` open`}>
        <summary>${icon('check')} ${resolver ? html`Resolved by ${resolver.name}: ${excerpt}` : html`Resolved: ${excerpt}`}</summary>
        ${content}${acts}
      </details>
    </li>
  `
}

/** The note about replies for which the page has no room. */
function leftOut({ user, noteable }: Discussed, { discussion_id }: Note, { left }: Threads): Html | null {
  const missing = left.get(discussion_id) ?? 0
  if (missing === 0) return null
  const whole = user !== null && html` <a href="${wholeDiscussionAddress(noteable, discussion_id)}">All of it, as JSON</a>`
  return html`
    <p class="hint">
      ${count(
        missing,
        'more reply of this discussion is too long for this page.',
        'more replies of this discussion are too long for this page.',
      )}${whole}
    </p>
  `
}

const excerpt_chars = 80

/** The summary of a collapsed discussion. */
function excerptOf({ note }: DescribedNote): Html {
  const text = note.body.replaceAll(/\s+/g, ' ').trim()
  return html`<span class="hint"><bdi>${text.length > excerpt_chars ? `${text.slice(0, excerpt_chars)}…` : text}</bdi></span>`
}

function replyForm(seen: Discussed, discussion_id: string, typed: Typed | null, { action, replyChoices }: Threads): Html | null {
  if (refusalToComment(seen) !== null) return null
  const { project, noteable, token } = seen
  const body = markdownField(t`Reply`, 'body', typed ?? untouched, {
    project,
    takesFiles: true,
    takesActions: kindOf(noteable).takesQuickActions,
    required: true,
    rows: 3,
    id: `reply-${discussion_id.slice(0, 12)}-`,
  })
  return html`
    <details class="reply"${typed !== null && html` open`}>
      <summary>Reply</summary>
      ${typed && problemsOf(typed.errors, ['body'])}
      <form method="post" action="${action ?? noteableAddress(noteable)}/notes">
        ${token}${hidden({ discussion_id })}${body}
        <p class="actions"><button class="primary">Reply</button>${replyChoices ?? null}</p>
      </form>
    </details>
  `
}

function commentForm(seen: Discussed, typed: Typed, stateEvent: StateEvent): Html {
  const { project, level, noteable, token } = seen
  const refusal = refusalToComment(seen)
  if (refusal) return refusal
  const body = markdownField(t`Comment`, 'body', typed, {
    project,
    takesFiles: true,
    takesActions: kindOf(noteable).takesQuickActions,
    rows: 5,
    id: 'new-',
    hint: kindOf(noteable).takesQuickActions ? sentences.commentHint : sentences.markdown,
  })
  const internal =
    kindOf(noteable).takesQuickActions &&
    canManageIssue({ level }) &&
    checkbox(t`Internal comment`, 'internal', typed, { value: 'false', hint: sentences.internalHint, id: 'new-' })
  return html`
    <form class="comment" method="post" action="${noteableAddress(noteable)}/notes">
      ${token}${problemsOf(typed.errors, ['body'])}${body}${internal}
      <p class="actions">
        <button class="primary" name="act" value="comment">Comment</button>
        <button name="act" value="discussion">Start a discussion</button>
        ${
          stateEvent !== null &&
          html`
            <button name="act" value="${stateEvent}">
              ${stateEvent === 'reopen' ? t`Comment and reopen` : t`Comment and close`}
            </button>
          `
        }
      </p>
    </form>
  `
}
