/** System notes between the comments of a discussion. */
import type { App } from '../../../app.ts'
import type { Note } from '../../../db/tables.ts'
import type { DescribedNote } from '../../../features/discussion/notes/notes.ts'
import { Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { icon } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'

export function systemNote(app: App, { note, author }: DescribedNote, body: Html | null): Html {
  return html`
    <li class="happened" id="note_${note.id}">
      ${icon(iconOf(note))} ${person(app, author)}
      <div>${body && withMarks(body)}</div>
      <a class="hint" href="#note_${note.id}">${ago(note.created_at)}</a>
    </li>
  `
}

/** Marks the difference of two titles: additions are between `{+` and `+}`, removals between `{-` and `-}`. */
function withMarks(body: Html): Html {
  return new Html(body.text.replace(/\{\+([^<>]*?)\+\}/g, '<ins>$1</ins>').replace(/\{-([^<>]*?)-\}/g, '<del>$1</del>'))
}

const icons: Record<string, string> = {
  closed: 'check',
  opened: 'issue',
  confidential: 'lock',
  locked: 'lock',
  time_tracking: 'clock',
  due_date: 'clock',
  title: 'edit',
  description: 'edit',
  label: 'tag',
  assignee: 'user',
}

function iconOf({ system_action }: Note): string {
  return icons[system_action ?? ''] ?? 'more'
}
