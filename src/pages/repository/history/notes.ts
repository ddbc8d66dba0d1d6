/** Discussions of a commit: on the whole commit, and on lines of its diff. */

import { commitNoteable } from '../../../features/commands/commit-comments/commit-comments.ts'
import { listDiscussions } from '../../../features/discussion/notes/notes.ts'
import type { Noteable } from '../../../features/noteable-kinds.ts'
import { type Position, positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Typed, Visit } from '../../frame/declaration.ts'
import { field, hidden, markdownField, select } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import type { Discussed } from '../../planning/discussion/discussed.ts'
import { type RefusedNote, readThreads, threadView } from '../../planning/discussion/discussion.ts'
import { refusalToComment } from '../../planning/discussion/threads.ts'
import type { DiffHooks } from './diff/file-view.ts'
import { sentences } from './sentences.ts'

/** Limit of discussions shown, oldest first; the API has all. */
const maxDiscussions = 200
/** Limit of each note shown: anybody may write hundreds of them on one commit. */
const maxNote_chars = 16 * 1024

export type CommitSeen = Visit & ProjectGranted & { commit: string }

/** A discussion, and its position in the diff. */
export interface Talk {
  id: string
  place: Position | null
  view: Html
}

export function discussedOf(seen: CommitSeen): Discussed & { noteable: Noteable<'commit'> } {
  return { ...seen, noteable: commitNoteable(seen, seen.commit) }
}

/** At most fifteen statements, regardless of the number of discussions. */
export async function readTalks(seen: CommitSeen, refused: RefusedNote | null): Promise<Talk[]> {
  const discussed = discussedOf(seen)
  const page = { limit: maxDiscussions, offset: 0 }
  const { ids } = await listDiscussions(seen.app.db, discussed.noteable, seen.user, page)
  const threads = await readThreads(discussed, ids, { max_chars: maxNote_chars, sentence: sentences.noteCut })
  return threads.threads.flatMap((thread) => {
    const [first] = thread
    if (!first) return []
    const place = first.note.position === null ? null : positionOf(first.note.position)
    const placed = { ...threads, placeOf: () => place && html`<p class="hint">${placeWords(place)}</p>` }
    const view = html`<ol class="talk">${threadView(discussed, placed, thread, refused)}</ol>`
    return [{ id: first.note.discussion_id, place, view }]
  })
}

function placeWords({ old_path, new_path, ...place }: Position): Html {
  if (place.position_type !== 'text') return isolated(new_path)
  const isRemoved = place.new_line === null
  return html`${isolated(isRemoved ? old_path : new_path)}, line ${isRemoved ? place.old_line : place.new_line}`
}

/** Discussions on lines that are shown appear below them; the others are added to `left`. */
export function talkHooks(talks: readonly Talk[], takesNotes: boolean, left: Set<Talk>): DiffHooks {
  return {
    takesNotes,
    notesOf({ old_path, new_path }, rows) {
      const below = new Map<string, Html>()
      const shown = new Set((rows ?? []).map((row) => (row.kind === 'removed' ? `L${row.old_line}` : `R${row.new_line}`)))
      for (const talk of talks) {
        const { place, view } = talk
        if (place?.position_type !== 'text' || (place.new_path !== new_path && place.old_path !== old_path)) continue
        const key = place.new_line === null ? `L${place.old_line}` : `R${place.new_line}`
        if (!shown.has(key)) continue
        below.set(key, html`${below.get(key) ?? null}${view}`)
        left.delete(talk)
      }
      return { below, above: null }
    },
  }
}

/** The form; with a path, for a line of that file. */
export function noteForm(seen: CommitSeen, { action, typed, path }: { action: string; typed: Typed; path: string | null }): Html | null {
  const refusal = refusalToComment(discussedOf(seen))
  if (refusal) return refusal
  const at = typed.values.path || path
  const place =
    at !== null &&
    html`
      ${hidden({ path: at })}
      <p>${isolated(at)}</p>
      <div class="filters">
        ${field(t`Line`, 'line', typed, { type: 'number', min: 1, id: 'note-' })}
        ${select(
          t`Side`,
          'line_type',
          typed,
          [
            ['new', t`New`],
            ['old', t`Old`],
          ],
          { id: 'note-' },
        )}
      </div>
    `
  const body = markdownField(t`Comment`, 'body', typed, {
    project: seen.project,
    takesFiles: true,
    required: true,
    rows: 4,
    hint: sentences.noteHint,
    id: 'new-',
  })
  return html`
    <form method="post" action="${action}">
      ${seen.token}${place}${body}
      <p class="actions">
        <button class="primary" name="act" value="comment">Comment</button>
        <button name="act" value="discussion">Start a discussion</button>
      </p>
    </form>
  `
}
