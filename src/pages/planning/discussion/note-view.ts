/** One comment: who wrote it, its text, what can be done with it, and the reactions to it. */

import { canChangeNote, type DescribedNote } from '../../../features/discussion/notes/notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { postButton } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { withTickableTasks } from '../../project/tasks.ts'
import { type Discussed, noteableAddress } from './discussed.ts'
import { reactionMenu, reactions } from './reactions.ts'
import { sentences } from './sentences.ts'
import { refusalToComment, type Threads } from './threads.ts'

export function noteView(seen: Discussed, described: DescribedNote, { bodies, awards, belowNote, backTo }: Threads): Html {
  const { note, author } = described
  const { app, user, noteable, project, token } = seen
  const address = `${noteableAddress(noteable)}/notes/${note.id}`
  const back = backTo?.(note.discussion_id)
  const fields = back === undefined ? {} : { back }
  const isChangeable = !project.archived && canChangeNote(noteable, note, user)
  const isQuotable = noteable.kind !== 'commit' && refusalToComment(seen) === null
  const body = bodies.get(note.id) ?? null
  const tickable = body && isChangeable ? withTickableTasks(body, { action: `${address}/tasks`, token, fields }) : body
  const edited = note.last_edited_by_id !== null && html` <span class="hint">edited ${ago(note.updated_at)}</span>`
  const given = awards.get(note.id) ?? []
  const form = { action: `${address}/emoji`, token, viewer: project.archived ? null : user, id: `emoji-${note.id}-`, fields }
  const changes = html`
    <li><a href="${address}/edit${back !== undefined && `?${new URLSearchParams({ back })}`}">Edit</a></li>
    <li>${postButton(t`Delete this comment`, { action: `${address}/delete`, token, kind: 'danger', fields })}</li>
  `
  return html`
    <article class="note" id="note_${note.id}">
      <header>
        ${person(app, author)} <span class="hint">@${author.username}</span>
        <a class="hint" href="#note_${note.id}">${ago(note.created_at)}</a>${edited}${
          note.internal && html` <span class="tag" title="${sentences.internal}">${icon('lock')} internal</span>`
        }
        <div class="note-acts">
          ${reactionMenu(given, form)}
          <details class="menu end">
            <summary>${icon('more')}<span class="unseen">More about this comment</span></summary>
            <ul>
              <li><a href="#note_${note.id}" data-copy-link>Copy link</a></li>
              ${isQuotable && html`<li><a href="${address}/quote#new-body" data-quote>Quote reply</a></li>`}
              ${isChangeable && changes}
            </ul>
          </details>
        </div>
      </header>
      ${tickable}${belowNote?.(described) ?? null}
      ${reactions(given, form)}
    </article>
  `
}

interface Described {
  author: Html
  /** Null where nothing was written. */
  text: Html | null | undefined
  menu: Html | null
  reactions: Html | null
}

/** The description of what is discussed, as a card like the comments. */
export function descriptionCard({ author, text, menu, reactions: given }: Described): Html {
  return html`
    <article class="note" aria-label="Description">
      <header>${author}<div class="note-acts">${menu}</div></header>
      ${text ?? html`<p class="hint">${sentences.noDescription}</p>`}${given}
    </article>
  `
}
